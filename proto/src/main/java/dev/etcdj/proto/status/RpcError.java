package dev.etcdj.proto.status;

/// Every error a client can see by name: etcd's exact text and the code it arrives with on the
/// wire (ERR-1, ERR-3, ERR-20).
public enum RpcError {
  EMPTY_KEY(Code.INVALID_ARGUMENT, "etcdserver: key is not provided"),
  KEY_NOT_FOUND(Code.INVALID_ARGUMENT, "etcdserver: key not found"),
  VALUE_PROVIDED(Code.INVALID_ARGUMENT, "etcdserver: value is provided"),
  LEASE_PROVIDED(Code.INVALID_ARGUMENT, "etcdserver: lease is provided"),
  TOO_MANY_OPS(Code.INVALID_ARGUMENT, "etcdserver: too many operations in txn request"),
  DUPLICATE_KEY(Code.INVALID_ARGUMENT, "etcdserver: duplicate key given in txn request"),
  INVALID_CLIENT_API_VERSION(Code.INVALID_ARGUMENT, "etcdserver: invalid client api version"),
  INVALID_SORT_OPTION(Code.INVALID_ARGUMENT, "etcdserver: invalid sort option"),
  COMPACTED(Code.OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted"),
  FUTURE_REV(Code.OUT_OF_RANGE, "etcdserver: mvcc: required revision is a future revision"),
  NO_SPACE(Code.RESOURCE_EXHAUSTED, "etcdserver: mvcc: database space exceeded"),
  LEASE_NOT_FOUND(Code.NOT_FOUND, "etcdserver: requested lease not found"),
  LEASE_EXIST(Code.FAILED_PRECONDITION, "etcdserver: lease already exists"),
  LEASE_TTL_TOO_LARGE(Code.OUT_OF_RANGE, "etcdserver: too large lease TTL"),
  WATCH_CANCELED(Code.CANCELED, "etcdserver: watch canceled"),
  MEMBER_EXIST(Code.FAILED_PRECONDITION, "etcdserver: member ID already exist"),
  PEER_URL_EXIST(Code.FAILED_PRECONDITION, "etcdserver: Peer URLs already exists"),
  MEMBER_NOT_ENOUGH_STARTED(
      Code.UNKNOWN, "etcdserver: re-configuration failed due to not enough started members"),
  MEMBER_BAD_URLS(Code.INVALID_ARGUMENT, "etcdserver: given member URLs are invalid"),
  MEMBER_NOT_FOUND(Code.NOT_FOUND, "etcdserver: member not found"),
  MEMBER_NOT_LEARNER(Code.FAILED_PRECONDITION, "etcdserver: can only promote a learner member"),
  LEARNER_NOT_READY(
      Code.FAILED_PRECONDITION,
      "etcdserver: can only promote a learner member which is in sync with leader"),
  TOO_MANY_LEARNERS(Code.FAILED_PRECONDITION, "etcdserver: too many learner members in cluster"),
  CLUSTER_ID_MISMATCH(Code.FAILED_PRECONDITION, "etcdserver: cluster ID mismatch"),
  REQUEST_TOO_LARGE(Code.INVALID_ARGUMENT, "etcdserver: request is too large"),
  REQUEST_TOO_MANY_REQUESTS(Code.UNKNOWN, "etcdserver: too many requests"),
  ROOT_USER_NOT_EXIST(Code.FAILED_PRECONDITION, "etcdserver: root user does not exist"),
  ROOT_ROLE_NOT_EXIST(Code.FAILED_PRECONDITION, "etcdserver: root user does not have root role"),
  USER_ALREADY_EXIST(Code.FAILED_PRECONDITION, "etcdserver: user name already exists"),
  USER_EMPTY(Code.INVALID_ARGUMENT, "etcdserver: user name is empty"),
  USER_NOT_FOUND(Code.FAILED_PRECONDITION, "etcdserver: user name not found"),
  ROLE_ALREADY_EXIST(Code.FAILED_PRECONDITION, "etcdserver: role name already exists"),
  ROLE_NOT_FOUND(Code.FAILED_PRECONDITION, "etcdserver: role name not found"),
  ROLE_EMPTY(Code.INVALID_ARGUMENT, "etcdserver: role name is empty"),
  AUTH_FAILED(
      Code.INVALID_ARGUMENT, "etcdserver: authentication failed, invalid user ID or password"),
  PERMISSION_NOT_GIVEN(Code.INVALID_ARGUMENT, "etcdserver: permission not given"),
  PERMISSION_DENIED(Code.PERMISSION_DENIED, "etcdserver: permission denied"),
  ROLE_NOT_GRANTED(Code.FAILED_PRECONDITION, "etcdserver: role is not granted to the user"),
  PERMISSION_NOT_GRANTED(
      Code.FAILED_PRECONDITION, "etcdserver: permission is not granted to the role"),
  AUTH_NOT_ENABLED(Code.FAILED_PRECONDITION, "etcdserver: authentication is not enabled"),
  INVALID_AUTH_TOKEN(Code.UNAUTHENTICATED, "etcdserver: invalid auth token"),
  INVALID_AUTH_MGMT(Code.INVALID_ARGUMENT, "etcdserver: invalid auth management"),
  AUTH_OLD_REVISION(Code.INVALID_ARGUMENT, "etcdserver: revision of auth store is old"),
  NO_LEADER(Code.UNAVAILABLE, "etcdserver: no leader"),
  NOT_LEADER(Code.FAILED_PRECONDITION, "etcdserver: not leader"),
  LEADER_CHANGED(Code.UNAVAILABLE, "etcdserver: leader changed"),
  NOT_CAPABLE(Code.FAILED_PRECONDITION, "etcdserver: not capable"),
  STOPPED(Code.UNAVAILABLE, "etcdserver: server stopped"),
  TIMEOUT(Code.UNAVAILABLE, "etcdserver: request timed out"),
  TIMEOUT_DUE_TO_LEADER_FAIL(
      Code.UNAVAILABLE, "etcdserver: request timed out, possibly due to previous leader failure"),
  TIMEOUT_DUE_TO_CONNECTION_LOST(
      Code.UNAVAILABLE, "etcdserver: request timed out, possibly due to connection lost"),
  TIMEOUT_WAIT_APPLIED_INDEX(
      Code.UNAVAILABLE,
      "etcdserver: request timed out, waiting for the applied index took too long"),
  UNHEALTHY(Code.UNAVAILABLE, "etcdserver: unhealthy cluster"),
  CORRUPT(Code.DATA_LOSS, "etcdserver: corrupt cluster"),
  NOT_SUPPORTED_FOR_LEARNER(Code.FAILED_PRECONDITION, "etcdserver: rpc not supported for learner"),
  BAD_LEADER_TRANSFEREE(Code.FAILED_PRECONDITION, "etcdserver: bad leader transferee"),
  WRONG_DOWNGRADE_VERSION_FORMAT(
      Code.INVALID_ARGUMENT, "etcdserver: wrong downgrade target version format"),
  INVALID_DOWNGRADE_TARGET_VERSION(
      Code.INVALID_ARGUMENT, "etcdserver: invalid downgrade target version"),
  CLUSTER_VERSION_UNAVAILABLE(
      Code.FAILED_PRECONDITION, "etcdserver: cluster version not found during downgrade"),
  DOWNGRADE_IN_PROCESS(
      Code.FAILED_PRECONDITION, "etcdserver: cluster has a downgrade job in progress"),
  NO_INFLIGHT_DOWNGRADE(Code.FAILED_PRECONDITION, "etcdserver: no inflight downgrade job"),
  CANCELED(Code.CANCELED, "etcdserver: request canceled"),
  DEADLINE_EXCEEDED(Code.DEADLINE_EXCEEDED, "etcdserver: context deadline exceeded"),
  LEADER_TRANSFER_TIMEOUT(
      Code.UNKNOWN, "etcdserver: request timed out, leader transfer took too long"),
  UNKNOWN_METHOD(Code.UNKNOWN, "etcdserver: unknown method"),
  NO_PASSWORD_USER(
      Code.UNKNOWN, "auth: authentication failed, password was given for no password user"),
  TOKEN_VERIFY_ONLY(Code.UNKNOWN, "auth: token signing attempted with verify-only key"),
  NOT_PRIMARY_LESSOR(Code.UNKNOWN, "not a primary lessor"),
  PROPOSAL_DROPPED(Code.UNKNOWN, "raft proposal dropped"),
  RAFT_STOPPED(Code.UNKNOWN, "raft: stopped"),
  RANGE_STREAM_SORT(Code.UNIMPLEMENTED, "RangeStream does not support custom sort orders"),
  RANGE_STREAM_FILTER(Code.UNIMPLEMENTED, "RangeStream does not support revision filters"),
  CONTEXT_CANCELED(Code.CANCELED, "context canceled"),
  CONTEXT_DEADLINE_EXCEEDED(Code.DEADLINE_EXCEEDED, "context deadline exceeded");

  /// gRPC status codes as numbers, so that storage code needs no gRPC to name an error.
  public enum Code {
    OK,
    CANCELED,
    UNKNOWN,
    INVALID_ARGUMENT,
    DEADLINE_EXCEEDED,
    NOT_FOUND,
    ALREADY_EXISTS,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    FAILED_PRECONDITION,
    ABORTED,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    INTERNAL,
    UNAVAILABLE,
    DATA_LOSS,
    UNAUTHENTICATED;

    /// Number on the wire.
    public int number() {
      return ordinal();
    }
  }

  private final Code code;
  private final String text;

  RpcError(Code code, String text) {
    this.code = code;
    this.text = text;
  }

  /// The code it arrives with.
  public Code code() {
    return code;
  }

  /// The exact text.
  public String text() {
    return text;
  }

  /// A throwable of this error.
  public EtcdException exception() {
    return new EtcdException(code, text);
  }
}
