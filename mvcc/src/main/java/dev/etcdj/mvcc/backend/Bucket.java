package dev.etcdj.mvcc.backend;

/// The flat buckets of the backend, named as etcd names them.
public enum Bucket {
  ALARM("alarm"),
  AUTH("auth"),
  AUTH_ROLES("authRoles"),
  AUTH_USERS("authUsers"),
  CLUSTER("cluster"),
  KEY("key"),
  LEASE("lease"),
  MEMBERS("members"),
  MEMBERS_REMOVED("members_removed"),
  META("meta");

  private final String text;

  Bucket(String text) {
    this.text = text;
  }

  /// Name on disk.
  public String text() {
    return text;
  }
}
