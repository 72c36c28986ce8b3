@NullMarked
package dev.etcdj.server.apply;

import org.jspecify.annotations.NullMarked;
