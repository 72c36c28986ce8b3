package dev.etcdj.simulation.workload;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.RangeResult;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.mvccpb.KeyValue;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Command;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.read.ReadCallback;
import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.check.Operation;
import dev.etcdj.simulation.check.Operation.Kind;
import dev.etcdj.simulation.check.Operation.Outcome;
import dev.etcdj.simulation.check.Truth;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// A client that reads and writes a few keys, one request after the other, at whatever member.
final class KvClient extends Client {
  private static final int[] NOT_SEEN = new int[0];

  private final Workload workload;
  private Member favourite;

  /// An answer.
  ///
  /// @param executed false: refused, and certainly without effect
  /// @param certain false: refused, but who knows
  private record Reply(
      boolean executed, boolean certain, long revision, int[] seen, boolean succeeded) {
    static final Reply REFUSED = new Reply(false, true, 0, NOT_SEEN, false);
    static final Reply FAILED = new Reply(false, false, 0, NOT_SEEN, false);
  }

  KvClient(World world, Workload workload, SplittableRandom random, int number) {
    super(world, random, number);
    this.workload = workload;
  }

  @Override
  void begin() {
    within(400 * MILLI, this::next);
  }

  private void next() {
    if (!workload.takeTurn()) {
      return;
    }
    if (favourite == null || random.nextInt(4) == 0) {
      favourite = world.anyMember(random);
    }
    int dice = random.nextInt(100);
    if (dice < 34) {
      put();
    } else if (dice < 60) {
      get();
    } else if (dice < 70) {
      readPast();
    } else if (dice < 78) {
      delete();
    } else if (dice < 94) {
      txn();
    } else {
      compact();
    }
  }

  private void think() {
    long mean = random.nextInt(10) == 0 ? 500 * MILLI : 60 * MILLI;
    within(2 * mean, this::next);
  }

  private long patience() {
    return 500 * MILLI + random.nextLong(8_000 * MILLI);
  }

  private int anyKey() {
    return random.nextInt(world.scenario().keys());
  }

  // ---- requests ---------------------------------------------------------------------------------

  private void put() {
    int key = anyKey();
    int value = workload.freshValue();
    boolean previous = random.nextBoolean();
    PutRequest request =
        PutRequest.newBuilder()
            .setKey(Names.key(key))
            .setValue(Names.value(value, world.scenario().valueBytes()))
            .setPrevKv(previous)
            .build();
    Operation operation =
        new Operation(
            number, Kind.PUT, new int[] {key}, new int[] {value}, -1, 0, world.time().now());
    write(
        operation,
        new Command.Put(Commands.put(request)),
        InternalRaftRequest.PUT_FIELD_NUMBER,
        request,
        result -> {
          OpResult.Put done = (OpResult.Put) result;
          int[] seen = {previous ? seen(done.prevKv()) : -1};
          return new Reply(true, true, done.revision(), seen, true);
        });
  }

  private void delete() {
    int key = anyKey();
    DeleteRangeRequest request =
        DeleteRangeRequest.newBuilder().setKey(Names.key(key)).setPrevKv(true).build();
    Operation operation =
        new Operation(number, Kind.DELETE, new int[] {key}, NOT_SEEN, -1, 0, world.time().now());
    write(
        operation,
        new Command.DeleteRange(Commands.delete(request)),
        InternalRaftRequest.DELETE_RANGE_FIELD_NUMBER,
        request,
        result -> {
          OpResult.DeleteRange done = (OpResult.DeleteRange) result;
          int seen = done.prevKvs().isEmpty() ? 0 : seen(done.prevKvs().getFirst());
          return new Reply(true, true, done.revision(), new int[] {seen}, true);
        });
  }

  /// Writes one or two keys if a key holds what this client believes it to hold.
  private void txn() {
    int condition = anyKey();
    int expected = workload.believed(condition);
    int other = anyKey();
    int[] keys = other == condition ? new int[] {condition} : new int[] {condition, other};
    int[] values = Arrays.stream(keys).map(_ -> workload.freshValue()).toArray();
    ByteString key = Names.key(condition);
    TxnRequest.Builder request =
        TxnRequest.newBuilder()
            .addFailure(
                RequestOp.newBuilder().setRequestRange(RangeRequest.newBuilder().setKey(key)));
    int bytes = world.scenario().valueBytes();
    Compare.Builder compare = Compare.newBuilder().setKey(key);
    request.addCompare(
        expected == 0
            ? compare.setTarget(Compare.CompareTarget.CREATE).setCreateRevision(0)
            : compare
                .setTarget(Compare.CompareTarget.VALUE)
                .setValue(Names.value(expected, bytes)));
    for (int i = 0; i < keys.length; i++) {
      request.addSuccess(
          RequestOp.newBuilder()
              .setRequestPut(
                  PutRequest.newBuilder()
                      .setKey(Names.key(keys[i]))
                      .setValue(Names.value(values[i], bytes))));
    }
    TxnRequest built = request.build();
    Operation operation =
        new Operation(number, Kind.TXN, keys, values, condition, expected, world.time().now());
    write(
        operation,
        Commands.txn(built),
        InternalRaftRequest.TXN_FIELD_NUMBER,
        built,
        result -> {
          OpResult.Nested done = (OpResult.Nested) result;
          int[] seen = NOT_SEEN;
          if (!done.succeeded()) {
            RangeResult read = ((OpResult.Range) done.responses().getFirst()).result();
            seen = new int[] {read.kvs().isEmpty() ? 0 : seen(read.kvs().getFirst())};
          }
          return new Reply(true, true, done.revision(), seen, done.succeeded());
        });
  }

  private interface Reading {
    Reply read(OpResult result);
  }

  private void write(
      Operation operation, Command command, int field, MessageLite request, Reading reading) {
    workload.called(operation);
    long floor = workload.floor();
    boolean decoded = random.nextBoolean();
    Call.make(
        world,
        favourite,
        patience(),
        Reply.REFUSED,
        (member, answer) -> {
          var _ =
              member
                  .replica()
                  .proposer()
                  .propose(
                      decoded ? command : null,
                      field,
                      request.toByteArray(),
                      result ->
                          answer.accept(
                              switch (result) {
                                case ApplyResult.Executed(var done) -> reading.read(done);
                                case ApplyResult.Refused(var why) -> refused(why);
                                default -> throw new Broken("a write is answered", "" + result);
                              }));
        },
        reply -> {
          if (reply != null && reply.executed()) {
            acknowledged(operation, reply, floor);
          }
          ended(operation, reply);
        });
  }

  private static Reply refused(EtcdException why) {
    return why.text().equals(RpcError.REQUEST_TOO_MANY_REQUESTS.text())
        ? Reply.REFUSED
        : Reply.FAILED;
  }

  /// An acknowledged write is in the history of the store, and after everything before it.
  private void acknowledged(Operation operation, Reply reply, long floor) {
    boolean changed =
        switch (operation.kind()) {
          case DELETE -> reply.seen()[0] != 0;
          case TXN -> reply.succeeded();
          default -> true;
        };
    Supplier<String> what = () -> operation.kind() + " at revision " + reply.revision();
    Broken.unless(
        reply.revision() > floor || !changed && reply.revision() == floor,
        "a write comes after what was acknowledged before",
        () -> what.get() + " begun at revision " + floor);
    if (!changed) {
      return;
    }
    Broken.unless(
        reply.revision() <= world.checks().truth().lastRevision(),
        "an acknowledged write is applied",
        what);
    List<Event> events = world.checks().truth().commit(reply.revision()).events();
    for (int i = 0; i < operation.keys().length; i++) {
      ByteString key = Names.key(operation.keys()[i]);
      int value = operation.values().length == 0 ? 0 : operation.values()[i];
      Broken.unless(
          events.stream()
              .anyMatch(
                  event ->
                      event.key().equals(key)
                          && (event.delete()
                              ? value == 0
                              : Names.number(Truth.parse(event.keyValue())) == value)),
          "an acknowledged write is applied",
          () -> what.get() + " of " + key.toStringUtf8());
    }
  }

  private void get() {
    boolean wide = world.scenario().wideReads() && random.nextInt(3) == 0;
    boolean serializable = random.nextInt(5) == 0;
    int[] keys =
        wide ? IntStream.range(0, world.scenario().keys()).toArray() : new int[] {anyKey()};
    RangeQuery query =
        wide
            ? RangeQuery.of(Names.firstKey(), Names.behindLastKey())
            : RangeQuery.of(Names.key(keys[0]), ByteString.EMPTY);
    Operation operation =
        new Operation(number, Kind.GET, keys, NOT_SEEN, -1, 0, world.time().now());
    long floor = workload.floor();
    Call.make(
        world,
        favourite,
        patience(),
        Reply.REFUSED,
        (member, answer) -> {
          if (serializable) {
            answer.accept(read(member, query, keys));
          } else {
            member
                .replica()
                .reads()
                .await(
                    new ReadCallback() {
                      @Override
                      public void ready() {
                        Reply reply = read(member, query, keys);
                        Broken.unless(
                            !reply.executed() || reply.revision() >= floor,
                            "a linearizable read sees what was acknowledged before",
                            () -> "read at revision " + reply.revision() + ", begun at " + floor);
                        answer.accept(reply);
                      }

                      @Override
                      public void failed(EtcdException why) {
                        answer.accept(Reply.REFUSED);
                      }
                    });
          }
        },
        reply -> {
          if (serializable) {
            think();
          } else {
            ended(operation, reply);
          }
        });
  }

  /// Reads at a revision that need not be the newest one.
  private void readPast() {
    long newest = world.checks().truth().lastRevision();
    long oldest = Math.max(1, world.checks().truth().compacted() - 2);
    long at = random.nextLong(oldest, Math.max(oldest, newest) + 2);
    RangeQuery query =
        new RangeQuery(
            Names.firstKey(),
            Names.behindLastKey(),
            at,
            0,
            RangeQuery.SortOrder.NONE,
            RangeQuery.SortTarget.KEY,
            false,
            false,
            0,
            0,
            0,
            0);
    int[] keys = IntStream.range(0, world.scenario().keys()).toArray();
    Call.make(
        world,
        favourite,
        patience(),
        Reply.REFUSED,
        (member, answer) -> answer.accept(read(member, query, keys)),
        _ -> think());
  }

  /// Reads at a member and compares with what the store held at that revision.
  private Reply read(Member member, RangeQuery query, int[] keys) {
    RangeResult result;
    try {
      result = member.replica().stores().kv().range(query);
    } catch (EtcdException refused) {
      return Reply.REFUSED;
    }
    long at = query.revision() > 0 ? query.revision() : result.revision();
    int[] seen = new int[keys.length];
    for (byte[] wire : result.kvs()) {
      KeyValue kv = Truth.parse(wire);
      int key = Names.keyNumber(kv);
      seen[keys.length == 1 ? 0 : key] = Names.number(kv);
    }
    for (int i = 0; i < keys.length; i++) {
      int shown = seen[i];
      KeyValue expected = world.checks().truth().valueAt(Names.key(keys[i]), at);
      Broken.unless(
          Names.number(expected) == shown,
          "a read shows its revision",
          () ->
              "member " + member.number() + ", revision " + at + ": " + shown + " for " + expected);
    }
    return new Reply(true, true, result.revision(), seen, true);
  }

  private void compact() {
    long newest = world.checks().truth().lastRevision();
    CompactionRequest request =
        CompactionRequest.newBuilder().setRevision(Math.max(1, newest - random.nextInt(8))).build();
    propose(
        world,
        favourite,
        patience(),
        Reply.REFUSED,
        InternalRaftRequest.COMPACTION_FIELD_NUMBER,
        request,
        _ -> Reply.REFUSED,
        _ -> think());
  }

  private void ended(Operation operation, Reply reply) {
    if (reply == null || !reply.executed() && !reply.certain()) {
      world.stats().unknown++;
      workload.ended(operation, Outcome.UNKNOWN);
    } else if (!reply.executed()) {
      world.stats().refused++;
      workload.refused(operation);
    } else {
      world.stats().acknowledged++;
      workload.acknowledged(reply.revision());
      workload.ended(operation, new Outcome(world.time().now(), reply.seen(), reply.succeeded()));
      believe(operation, reply);
    }
    world
        .trace()
        .note("client", 0, number, reply == null ? -1 : reply.revision(), operation.kind());
    if (reply == null || !reply.executed()) {
      favourite = null;
    }
    think();
  }

  private void believe(Operation operation, Reply reply) {
    switch (operation.kind()) {
      case PUT -> workload.believe(operation.keys()[0], operation.values()[0]);
      case DELETE -> workload.believe(operation.keys()[0], 0);
      case GET -> {
        for (int i = 0; i < operation.keys().length; i++) {
          workload.believe(operation.keys()[i], reply.seen()[i]);
        }
      }
      case TXN -> {
        if (reply.succeeded()) {
          for (int i = 0; i < operation.keys().length; i++) {
            workload.believe(operation.keys()[i], operation.values()[i]);
          }
        } else {
          workload.believe(operation.condition(), reply.seen()[0]);
        }
      }
    }
  }

  private static int seen(byte[] wire) {
    return wire == null ? 0 : Names.number(Truth.parse(wire));
  }

  /// Writes until a write is acknowledged.
  static void probe(World world, Member member, Consumer<Member> answered) {
    PutRequest request =
        PutRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("probe"))
            .setValue(ByteString.copyFromUtf8("" + member.number()))
            .build();
    propose(
        world,
        member,
        6_000 * MILLI,
        false,
        InternalRaftRequest.PUT_FIELD_NUMBER,
        request,
        ApplyResult.Executed.class::isInstance,
        done -> {
          if (Boolean.TRUE.equals(done)) {
            answered.accept(member);
          } else {
            world.time().after(100 * MILLI, () -> probe(world, member, answered));
          }
        });
  }
}
