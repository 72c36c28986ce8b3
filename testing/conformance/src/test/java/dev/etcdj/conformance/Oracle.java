package dev.etcdj.conformance;

/// What is said when there is nothing to compare with.
final class Oracle {
  static final String MISSING =
      "no real etcd to compare with: run testing/oracle/build, or name one with -Doracle.etcd=FILE";

  private Oracle() {}
}
