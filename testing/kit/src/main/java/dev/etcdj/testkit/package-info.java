/// What the tests of several modules need; depends on none of them.
@NullMarked
package dev.etcdj.testkit;

import org.jspecify.annotations.NullMarked;
