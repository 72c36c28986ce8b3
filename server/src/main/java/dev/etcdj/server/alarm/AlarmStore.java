package dev.etcdj.server.alarm;

import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RowKeys;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.etcdserverpb.AlarmRequest.AlarmAction;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The alarms in force, pairs of member and kind, replicated and stored (MAINT-25). Changed by
/// the apply loop, read by any thread.
public final class AlarmStore {
  private static final byte[] NO_VALUE = new byte[0];

  // Replaced as a whole by the apply loop, read by rpc threads.
  private volatile Set<AlarmMember> active = Set.of();
  // What apply and every put look at; follow from `active`.
  private volatile boolean noSpace;
  private volatile boolean corrupt;

  /// Replaces everything by the records in `view` (KV-126). Apply loop, or before it runs.
  public void load(ReadView view) {
    Set<AlarmMember> loaded = new LinkedHashSet<>();
    view.scan(
        Bucket.ALARM,
        NO_VALUE,
        null,
        (key, _) -> {
          loaded.add(RowKeys.alarm(key));
          return true;
        });
    set(loaded);
  }

  private void set(Set<AlarmMember> alarms) {
    noSpace = alarms.stream().anyMatch(alarm -> alarm.getAlarm() == AlarmType.NOSPACE);
    corrupt = alarms.stream().anyMatch(alarm -> alarm.getAlarm() == AlarmType.CORRUPT);
    active = alarms;
  }

  /// Whether any member has NOSPACE.
  public boolean noSpace() {
    return noSpace;
  }

  /// Whether any member has CORRUPT.
  public boolean corrupt() {
    return corrupt;
  }

  /// Whether that member has that alarm.
  public boolean isActive(long memberId, AlarmType kind) {
    return active.contains(AlarmMember.newBuilder().setMemberID(memberId).setAlarm(kind).build());
  }

  /// All alarms.
  public List<AlarmMember> all() {
    return List.copyOf(active);
  }

  /// Executes an alarm request (MAINT-27..29, MAINT-33). Apply loop only.
  ///
  /// @param action an unknown one does nothing; it is refused before it is proposed
  /// @return the alarms to answer with
  public List<AlarmMember> apply(int action, long memberId, int kind, WriteUnit unit) {
    AlarmMember alarm = AlarmMember.newBuilder().setMemberID(memberId).setAlarmValue(kind).build();
    return switch (AlarmAction.forNumber(action)) {
      case GET ->
          kind == AlarmType.NONE_VALUE
              ? all()
              : active.stream().filter(other -> other.getAlarmValue() == kind).toList();
      case ACTIVATE -> activate(alarm, unit);
      case DEACTIVATE -> deactivate(alarm, unit);
      case null, default -> List.of();
    };
  }

  private List<AlarmMember> activate(AlarmMember alarm, WriteUnit unit) {
    if (alarm.getAlarm() == AlarmType.NONE) {
      return List.of();
    }
    if (!active.contains(alarm)) {
      Set<AlarmMember> more = new LinkedHashSet<>(active);
      more.add(alarm);
      unit.put(Bucket.ALARM, RowKeys.alarm(alarm), NO_VALUE);
      set(more);
    }
    return List.of(alarm);
  }

  private List<AlarmMember> deactivate(AlarmMember alarm, WriteUnit unit) {
    if (!active.contains(alarm)) {
      return List.of();
    }
    Set<AlarmMember> fewer = new LinkedHashSet<>(active);
    fewer.remove(alarm);
    unit.delete(Bucket.ALARM, RowKeys.alarm(alarm));
    set(fewer);
    return List.of(alarm);
  }
}
