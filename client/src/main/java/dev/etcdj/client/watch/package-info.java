/// Watches: [Watch] starts one, [Watcher] is read response by response and resumes by itself.
///
/// Invariants: revisions are told in order, each once, those of one revision together; a watch that
/// has missed something says so with [WatchResponse.Compacted] and ends.
@NullMarked
package dev.etcdj.client.watch;

import org.jspecify.annotations.NullMarked;
