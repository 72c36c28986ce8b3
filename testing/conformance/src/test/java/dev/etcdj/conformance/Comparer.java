package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveResponse;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.proto.mvccpb.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Compares what two servers answered to one program, field by field.
final class Comparer {
  private static final int SHOWN_CHARACTERS = 300;

  /// The servers are asked at slightly different times, on a busy machine much later.
  private static long ttlSlackSeconds(long ttl) {
    return 3 + ttl / 500;
  }

  private final Program program;
  private final List<Difference> found = new ArrayList<>();

  private Comparer(Program program) {
    this.program = program;
  }

  static List<Difference> compare(Program program, Transcript etcd, Transcript own) {
    Comparer comparer = new Comparer(program);
    comparer.value(-1, "the store's revision at the start", "", etcd.base(), own.base());
    for (int i = 0; i < program.steps().size(); i++) {
      comparer.outcome(i, etcd.outcomes().get(i), own.outcomes().get(i));
    }
    Set<String> streams = new TreeSet<>(etcd.streams().keySet());
    streams.addAll(own.streams().keySet());
    for (String name : streams) {
      comparer.stream(
          name,
          etcd.streams().getOrDefault(name, List.of()),
          own.streams().getOrDefault(name, List.of()));
    }
    if (!etcd.violations().isEmpty() || !own.violations().isEmpty()) {
      comparer.add(
          -1,
          "a promise of watch streams",
          "",
          String.join("; ", etcd.violations()),
          String.join("; ", own.violations()));
    }
    return comparer.found;
  }

  private void outcome(int step, Outcome etcd, Outcome own) {
    value(step, "code", "code", etcd.code(), own.code());
    value(step, "text", "text", etcd.text(), own.text());
    List<Message> etcdAnswers = etcd.answers();
    List<Message> ownAnswers = own.answers();
    if (program.steps().get(step) instanceof Step.Expect) {
      etcdAnswers = byWatcher(etcdAnswers);
      ownAnswers = byWatcher(ownAnswers);
    }
    if (program.steps().get(step) instanceof Step.Call call) {
      etcdAnswers = Canonical.chunks(call.request(), etcdAnswers);
      ownAnswers = Canonical.chunks(call.request(), ownAnswers);
    }
    value(step, "answers", "answers", etcdAnswers.size(), ownAnswers.size());
    for (int i = 0; i < Math.min(etcdAnswers.size(), ownAnswers.size()); i++) {
      answer(step, i, etcdAnswers.get(i), ownAnswers.get(i));
    }
  }

  private void answer(int step, int number, Message etcd, Message own) {
    Message etcdBlank = Canonical.blank(etcd);
    Message ownBlank = Canonical.blank(own);
    if (etcdBlank.equals(ownBlank)) {
      return;
    }
    if (program.steps().get(step) instanceof Step.Call call) {
      etcdBlank = Canonical.loose(call.request(), etcdBlank);
      ownBlank = Canonical.loose(call.request(), ownBlank);
    }
    if (etcdBlank instanceof LeaseTimeToLiveResponse one
        && ownBlank instanceof LeaseTimeToLiveResponse other
        && one.getTTL() > 0
        && Math.abs(one.getTTL() - other.getTTL()) <= ttlSlackSeconds(one.getTTL())) {
      ownBlank = other.toBuilder().setTTL(one.getTTL()).build();
    }
    message(step, number == 0 ? "" : "answer " + number + " ", etcdBlank, ownBlank);
  }

  /// Answers for one watcher stay in order; that between watchers is unspecified (WATCH-49).
  private static List<Message> byWatcher(List<Message> answers) {
    List<Message> sorted = new ArrayList<>(answers);
    sorted.sort(Comparator.comparingLong(answer -> ((WatchResponse) answer).getWatchId()));
    return sorted;
  }

  /// What came on a stream, apart from how events were put together in responses, which depends on
  /// when a watcher caught up.
  private void stream(String name, List<WatchResponse> etcd, List<WatchResponse> own) {
    Map<Long, List<Message>> etcdById = flat(etcd);
    Map<Long, List<Message>> ownById = flat(own);
    Set<Long> ids = new LinkedHashSet<>(etcdById.keySet());
    ids.addAll(ownById.keySet());
    for (long id : ids) {
      String where = "stream %s, watcher %d: ".formatted(name, id);
      List<Message> one = etcdById.getOrDefault(id, List.of());
      List<Message> other = ownById.getOrDefault(id, List.of());
      for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
        if (!one.get(i).equals(other.get(i)) && !overtaken(one.get(i), other.get(i))) {
          add(-1, where + "item " + i, "events", show(one.get(i)), show(other.get(i)));
          break;
        }
      }
      if (one.size() != other.size()) {
        add(-1, where + "number of items", "events", tail(one, other), tail(other, one));
      }
    }
  }

  /// Whether both say that a compaction ended the watcher, where the program has several: a watcher
  /// that lags is told of the one in force when its turn comes.
  private boolean overtaken(Message etcd, Message own) {
    return etcd instanceof WatchResponse one
        && own instanceof WatchResponse other
        && one.getCompactRevision() > 0
        && other.getCompactRevision() > 0
        && one.toBuilder().setCompactRevision(other.getCompactRevision()).build().equals(other)
        && program.steps().stream().filter(Comparer::compacts).count() > 1;
  }

  private static boolean compacts(Step step) {
    return step instanceof Step.Call call && call.request() instanceof CompactionRequest;
  }

  private static String tail(List<Message> these, List<Message> others) {
    return these.size() > others.size()
        ? these.size() + ", then " + show(these.get(others.size()))
        : Integer.toString(these.size());
  }

  private static Map<Long, List<Message>> flat(List<WatchResponse> answers) {
    Map<Long, List<Message>> byId = new LinkedHashMap<>();
    for (WatchResponse answer : answers) {
      List<Message> items = byId.computeIfAbsent(answer.getWatchId(), _ -> new ArrayList<>());
      for (Event event : answer.getEventsList()) {
        items.add(event);
      }
      WatchResponse rest = answer.toBuilder().clearEvents().setFragment(false).build();
      if (answer.getEventsCount() == 0) {
        items.add(Canonical.blank(rest));
      }
    }
    return byId;
  }

  private void message(int step, String path, Message etcd, Message own) {
    if (etcd.equals(own)) {
      return;
    }
    if (!etcd.getDescriptorForType().equals(own.getDescriptorForType())) {
      add(step, path, path, show(etcd), show(own));
      return;
    }
    for (FieldDescriptor field : etcd.getDescriptorForType().getFields()) {
      field(step, path + field.getName(), field, etcd, own);
    }
    if (!etcd.getUnknownFields().equals(own.getUnknownFields())) {
      add(
          step,
          path + "unknown fields",
          path,
          etcd.getUnknownFields().toString(),
          own.getUnknownFields().toString());
    }
  }

  private void field(int step, String path, FieldDescriptor field, Message etcd, Message own) {
    if (field.isRepeated()) {
      int etcdCount = etcd.getRepeatedFieldCount(field);
      int ownCount = own.getRepeatedFieldCount(field);
      value(step, "number of " + path, path, etcdCount, ownCount);
      for (int i = 0; i < Math.min(etcdCount, ownCount); i++) {
        one(
            step,
            path + "[" + i + "]",
            etcd.getRepeatedField(field, i),
            own.getRepeatedField(field, i));
      }
    } else if (field.hasPresence()) {
      value(step, "presence of " + path, path, etcd.hasField(field), own.hasField(field));
      if (etcd.hasField(field) && own.hasField(field)) {
        one(step, path, etcd.getField(field), own.getField(field));
      }
    } else {
      one(step, path, etcd.getField(field), own.getField(field));
    }
  }

  private void one(int step, String path, Object etcd, Object own) {
    if (etcd instanceof Message etcdMessage && own instanceof Message ownMessage) {
      message(step, path + ".", etcdMessage, ownMessage);
    } else {
      value(step, path, path, etcd, own);
    }
  }

  private void value(int step, String what, String path, Object etcd, Object own) {
    if (!etcd.equals(own)) {
      add(step, what, path, show(etcd), show(own));
    }
  }

  private void add(int step, String what, String path, String etcd, String own) {
    String where =
        step < 0
            ? what
            : "step %d, %s: %s"
                .formatted(step + 1, shorten(Script.write(program.steps().get(step))), what);
    List<String> rules =
        program.rules().isEmpty()
            ? Rules.of(step < 0 ? null : program.steps().get(step), path)
            : program.rules();
    found.add(new Difference(step, rules, where, shorten(etcd), shorten(own)));
  }

  private static String show(Object value) {
    return switch (value) {
      case ByteString bytes -> '"' + TextFormat.escapeBytes(bytes) + '"';
      case Message message -> Script.write(message);
      case String text -> '"' + text + '"';
      default -> value.toString();
    };
  }

  private static String shorten(String text) {
    return text.length() <= SHOWN_CHARACTERS
        ? text
        : text.substring(0, SHOWN_CHARACTERS) + "… (" + text.length() + " characters)";
  }
}
