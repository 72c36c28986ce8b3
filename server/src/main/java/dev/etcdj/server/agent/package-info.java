@NullMarked
package dev.etcdj.server.agent;

import org.jspecify.annotations.NullMarked;
