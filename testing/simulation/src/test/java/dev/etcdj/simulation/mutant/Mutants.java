package dev.etcdj.simulation.mutant;

import java.util.List;

/// One fault of each kind that the simulation has to find.
final class Mutants {
  private static final String RAFT = "raft/src/main/java/dev/etcdj/raft/";
  private static final String WAL = "wal/src/main/java/dev/etcdj/wal/";
  private static final String MVCC = "mvcc/src/main/java/dev/etcdj/mvcc/";
  private static final String SERVER = "server/src/main/java/dev/etcdj/server/";

  static final List<Mutant> ALL =
      List.of(
          Mutant.of(
              "acknowledge before fsync",
              SERVER + "raftnode/ReadyPump.java",
              "? WalAppend.Promise.DURABLE",
              "? WalAppend.Promise.ORDERED"),
          Mutant.of(
              "answer before an earlier fsync",
              SERVER + "raftnode/ReadyPump.java",
              "if (!mustSync && undurable == 0) {",
              "if (!mustSync) {"),
          Mutant.of(
              "vote before fsync",
              RAFT + "Outbox.java",
              "    whenDurable.add(message);",
              "    (message instanceof Message.VoteResponse && message.to() != message.from()\n"
                  + "        ? now : whenDurable).add(message);"),
          Mutant.of(
              "vote twice in a term",
              RAFT + "Raft.java",
              "vote == request.from() || (vote == 0 && leader == 0);",
              "leader == 0;"),
          Mutant.of(
              "apply twice after a restart",
              SERVER + "apply/Applier.java",
              "appliedIndex = Meta.consistentIndex(view);",
              "appliedIndex = Math.max(0, Meta.consistentIndex(view) - 1);",
              SERVER + "durable/MemberLog.java",
              "memory, consistentIndex, mark.index(), empty);",
              "memory, Math.max(mark.index(), consistentIndex - 1), mark.index(), empty);"),
          Mutant.of(
              "skip an entry after a restart",
              SERVER + "apply/Applier.java",
              "appliedIndex = Meta.consistentIndex(view);",
              "appliedIndex = Meta.consistentIndex(view) == 0 ? 0 : Meta.consistentIndex(view) + 1;"),
          Mutant.of(
              "consistent_index in another transaction than its data",
              SERVER + "apply/Executor.java",
              "    stamp(txn.unit(), index, term);\n    txn.commit();\n"
                  + "    return new ApplyResult.Executed(result);",
              "    txn.commit();\n    moveIndex(index, term);\n"
                  + "    return new ApplyResult.Executed(result);"),
          Mutant.of(
              "commit an entry of an earlier term by counting",
              RAFT + "Leadership.java",
              "if (quorum <= log.committed() || !log.matches(quorum, term)) {",
              "if (quorum <= log.committed()) {"),
          Mutant.of(
              "serve a linearizable read without quorum",
              RAFT + "Leadership.java",
              "reads.add(request, log.committed(), id);",
              "answer(request, log.committed());"),
          Mutant.of(
              "read before applied ≥ read index",
              SERVER + "read/LinearizableReads.java",
              "appliedWaits.await(state.index(), () -> release(answered));",
              "release(answered);"),
          Mutant.of(
              "lose a watch event between history and tail",
              MVCC + "watch/Fanout.java",
              "return watcher.next > last && settleNow(watcher);",
              "return watcher.next >= last && settleNow(watcher);",
              MVCC + "watch/Fanout.java",
              "if (watcher.next <= last || watcher.stream.isClosed()) {",
              "if (watcher.next < last || watcher.stream.isClosed()) {"),
          Mutant.of(
              "deliver an event twice on resume",
              MVCC + "watch/Fanout.java",
              "watcher.startRevision == 0 ? last + 1 : watcher.startRevision;",
              "watcher.startRevision == 0 ? last + 1 : watcher.startRevision - 1;"),
          Mutant.of(
              "let a deposed leader expire a lease",
              SERVER + "lease/Lessor.java",
              "        ledTerm = 0;\n        primary = false;\n        queue.clear();\n",
              "        ledTerm = 0;\n",
              SERVER + "lease/LeaseExpirer.java",
              "leadership.confirm(this::revokeOverdue, () -> {});",
              "revokeOverdue();"),
          Mutant.of(
              "compaction that removes a version still readable",
              MVCC + "compaction/CompactionRun.java",
              "return index.find(WireKeyValue.parse(value).keyBytes(), job.revision(), hit)",
              "return index.find(WireKeyValue.parse(value).keyBytes(), job.revision() + 1, hit)"),
          Mutant.of(
              "release a WAL segment too early",
              WAL + "Wal.java",
              "if (segment.name().firstIndex() < bound) {",
              "if (segment.name().firstIndex() <= lastIndex) {"));

  private Mutants() {}
}
