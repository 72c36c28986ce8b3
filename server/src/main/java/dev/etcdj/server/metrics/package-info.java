/// What the member counts, under etcd's names, types, labels and buckets, as Prometheus text.
///
/// Read in this order: [dev.etcdj.server.metrics.Metrics] is the whole, its groups hold one field
/// per metric, [dev.etcdj.server.metrics.Registry] prints them.
///
/// Written by hand because no client library can: etcd has gauges that end in `_total` and
/// counters that do not, and libraries correct both. What is ours alone (`jvm_*`) comes from
/// Micrometer.
///
/// Counting is any thread's and takes no lock ([java.util.concurrent.atomic.LongAdder]); sums are
/// made when scraped. Labels that others choose are bounded in number.
@NullMarked
package dev.etcdj.server.metrics;

import org.jspecify.annotations.NullMarked;
