@NullMarked
package dev.etcdj.server.config;

import org.jspecify.annotations.NullMarked;
