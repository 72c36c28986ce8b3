/// One printer per format, each with a method per kind of answer; [Printer] refuses what a format
// has
/// no form for. `Rows` is shared by the table and the simple form.
@NullMarked
package dev.etcdj.etcdctl.output;

import org.jspecify.annotations.NullMarked;
