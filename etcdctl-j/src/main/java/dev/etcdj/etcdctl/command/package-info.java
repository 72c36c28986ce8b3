/// TODO
@NullMarked
package dev.etcdj.etcdctl.command;

import org.jspecify.annotations.NullMarked;
