@NullMarked
package dev.etcdj.server.membership;

import org.jspecify.annotations.NullMarked;
