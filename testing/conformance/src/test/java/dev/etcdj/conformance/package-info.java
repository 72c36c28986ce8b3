/// The same requests to real etcd and to us, answers compared field by field.
@NullMarked
package dev.etcdj.conformance;

import org.jspecify.annotations.NullMarked;
