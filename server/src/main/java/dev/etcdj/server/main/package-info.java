/// The process: command line in, exit code out.
@NullMarked
package dev.etcdj.server.main;

import org.jspecify.annotations.NullMarked;
