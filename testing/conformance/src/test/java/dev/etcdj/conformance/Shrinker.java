package dev.etcdj.conformance;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import java.util.ArrayList;
import java.util.List;

/// Makes a program on which the servers differ as small as it gets: first whole steps go, in ever
/// smaller pieces, then fields of the requests that are left.
final class Shrinker {
  /// Whether the servers still differ.
  interface Check {
    boolean differs(Program program) throws Exception;
  }

  private final Check check;
  private final long deadline;

  private Shrinker(Check check, long nanos) {
    this.check = check;
    this.deadline = System.nanoTime() + nanos;
  }

  /// @param nanos after which the smallest so far has to do
  static Program shrink(Program program, Check check, long nanos) throws Exception {
    Shrinker shrinker = new Shrinker(check, nanos);
    Program smaller = shrinker.withoutSteps(program);
    smaller = shrinker.withoutFields(smaller);
    return shrinker.withoutSteps(smaller);
  }

  private boolean differs(Program program) throws Exception {
    return System.nanoTime() < deadline && check.differs(program);
  }

  private Program withoutSteps(Program whole) throws Exception {
    Program program = whole;
    for (int piece = Math.max(1, program.steps().size() / 2); ; piece = piece / 2) {
      // From the end, as the last steps are mostly those behind the difference.
      for (int to = program.steps().size(); to > 0; to -= piece) {
        Program without = program.without(Math.max(0, to - piece), to);
        if (differs(without)) {
          program = without;
        }
      }
      if (piece <= 1) {
        return program;
      }
    }
  }

  private Program withoutFields(Program whole) throws Exception {
    Program program = whole;
    for (int i = 0; i < program.steps().size(); i++) {
      for (boolean again = true; again; ) {
        again = false;
        for (Step simpler : simpler(program.steps().get(i))) {
          List<Step> steps = new ArrayList<>(program.steps());
          steps.set(i, simpler);
          if (differs(program.with(steps))) {
            program = program.with(steps);
            again = true;
            break;
          }
        }
      }
    }
    return program;
  }

  private static List<Step> simpler(Step step) {
    return switch (step) {
      case Step.Call call ->
          simpler(call.request()).stream()
              .<Step>map(request -> new Step.Call(call.verb(), request, call.metadata()))
              .toList();
      case Step.Watch watch when watch.request().hasCreateRequest() ->
          simpler(watch.request().getCreateRequest()).stream()
              .<Step>map(
                  create ->
                      new Step.Watch(
                          watch.stream(),
                          WatchRequest.newBuilder()
                              .setCreateRequest((WatchCreateRequest) create)
                              .build(),
                          watch.metadata()))
              .toList();
      default -> List.of();
    };
  }

  /// The message with one field, or one element of one, left out, at any depth.
  static List<Message> simpler(Message message) {
    List<Message> all = new ArrayList<>();
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (field.isRepeated()) {
        elements(message, field, all);
      } else {
        all.add(message.toBuilder().clearField(field).build());
        if (message.getField(field) instanceof Message inner) {
          simpler(inner).forEach(one -> all.add(message.toBuilder().setField(field, one).build()));
        }
      }
    }
    return all;
  }

  private static void elements(Message message, FieldDescriptor field, List<Message> all) {
    List<?> elements = (List<?>) message.getField(field);
    for (int i = 0; i < elements.size(); i++) {
      List<Object> fewer = new ArrayList<>(elements);
      fewer.remove(i);
      all.add(message.toBuilder().setField(field, fewer).build());
      if (elements.get(i) instanceof Message inner) {
        int at = i;
        simpler(inner)
            .forEach(one -> all.add(message.toBuilder().setRepeatedField(field, at, one).build()));
      }
    }
  }
}
