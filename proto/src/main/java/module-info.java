/// The wire contract: generated messages and services of the public API, and of what members log
/// and exchange.
module dev.etcdj.proto {
  requires transitive com.google.protobuf;
  requires transitive io.grpc;
  requires transitive io.grpc.stub;
  requires transitive io.grpc.protobuf;
  requires static transitive org.jspecify;
  requires com.google.common;

  exports dev.etcdj.proto.authpb;
  exports dev.etcdj.proto.etcdserverpb;
  exports dev.etcdj.proto.leasepb;
  exports dev.etcdj.proto.membershippb;
  exports dev.etcdj.proto.mvccpb;
  exports dev.etcdj.proto.raftpb;
  exports dev.etcdj.proto.snappb;
  exports dev.etcdj.proto.versionpb;
  exports dev.etcdj.proto.status;
  exports dev.etcdj.proto.v3electionpb;
  exports dev.etcdj.proto.v3lockpb;
  exports dev.etcdj.proto.walpb;
}
