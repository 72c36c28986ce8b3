package dev.etcdj.raft.script;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChange.Kind;
import dev.etcdj.raft.ConfChange.Single;
import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.ConfChangeCodec;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Configuration changes as text: `v4 l5 r3 u2` (voter, learner, remove, update), after the number
/// of the transition.
public final class TextCodec implements ConfChangeCodec {
  private static final String KINDS = "vrul";

  @Override
  public Bytes encode(ConfChange change) {
    if (change.type() == EntryType.CONF_CHANGE_V2 && change.leavesJoint()) {
      return Bytes.EMPTY;
    }
    return bytes(change.transition().ordinal() + " " + text(change.changes()));
  }

  @Override
  public ConfChange decode(Entry entry) {
    if (entry.type() == EntryType.NORMAL) {
      throw new IllegalArgumentException("a normal entry holds no change");
    }
    if (entry.data().isEmpty()) {
      return new ConfChange(entry.type(), Transition.AUTO, List.of(), 0, Bytes.EMPTY);
    }
    String text = string(entry.data());
    Transition transition = Transition.values()[text.charAt(0) - '0'];
    return new ConfChange(entry.type(), transition, parse(text.substring(2)), 0, Bytes.EMPTY);
  }

  static List<Single> parse(String text) {
    List<Single> changes = new ArrayList<>();
    for (String word : text.strip().split(" ")) {
      if (!word.isEmpty()) {
        Kind kind = Kind.values()[KINDS.indexOf(word.charAt(0))];
        changes.add(new Single(kind, Long.parseLong(word.substring(1))));
      }
    }
    return changes;
  }

  static String text(List<Single> changes) {
    return changes.stream()
        .map(each -> "" + KINDS.charAt(each.kind().ordinal()) + each.nodeId())
        .collect(Collectors.joining(" "));
  }

  public static Bytes bytes(String text) {
    return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String string(Bytes bytes) {
    return new String(bytes.unsafeArray(), StandardCharsets.UTF_8);
  }
}
