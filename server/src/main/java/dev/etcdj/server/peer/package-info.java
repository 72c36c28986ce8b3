@NullMarked
package dev.etcdj.server.peer;

import org.jspecify.annotations.NullMarked;
