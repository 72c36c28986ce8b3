package dev.etcdj.client.transport;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/// Hands gRPC's balancer the list of endpoints that a target of the form
/// `etcd-endpoints:///host:port,host:port` spells out. Names are looked up again whenever a
/// connection is lost, so that a member may come back under another address.
final class EndpointResolver extends NameResolver {
  private static final String SCHEME = "etcd-endpoints";

  private final List<Endpoint> endpoints;
  private final Executor blocking;
  private volatile boolean shutdown; // read by the look-up on the blocking executor
  private Listener2 listener = new Ignore();

  private EndpointResolver(List<Endpoint> endpoints, Executor blocking) {
    this.endpoints = endpoints;
    this.blocking = blocking;
  }

  /// The target that stands for `endpoints`.
  static String target(List<Endpoint> endpoints) {
    Provider.register();
    List<String> authorities = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      authorities.add(endpoint.authority().replace("[", "%5B").replace("]", "%5D"));
    }
    return SCHEME + ":///" + String.join(",", authorities);
  }

  @Override
  public String getServiceAuthority() {
    return endpoints.getFirst().authority();
  }

  @Override
  public void start(Listener2 to) {
    listener = to;
    resolve();
  }

  @Override
  public void refresh() {
    resolve();
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  private void resolve() {
    boolean literal = true;
    for (Endpoint endpoint : endpoints) {
      literal &= NetUtil.createByteArrayFromIpAddressString(endpoint.host()) != null;
    }
    if (literal) {
      publish();
    } else {
      blocking.execute(this::publish);
    }
  }

  private void publish() {
    List<EquivalentAddressGroup> groups = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      groups.add(
          new EquivalentAddressGroup(
              endpoint.address(),
              Attributes.newBuilder()
                  .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, endpoint.authority())
                  .build()));
    }
    if (!shutdown) {
      listener.onResult(
          ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(groups)).build());
    }
  }

  private static final class Ignore extends Listener2 {
    @Override
    public void onResult(ResolutionResult result) {}

    @Override
    public void onError(io.grpc.Status error) {}
  }

  /// Makes resolvers from targets; registered with gRPC once per JVM.
  private static final class Provider extends NameResolverProvider {
    private static final int PRIORITY = 5;
    private static boolean registered;

    static synchronized void register() {
      if (!registered) {
        NameResolverRegistry.getDefaultRegistry().register(new Provider());
        registered = true;
      }
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
      List<Endpoint> endpoints = new ArrayList<>();
      for (String authority : target.getPath().substring(1).split(",", -1)) {
        endpoints.add(Endpoint.parse(authority));
      }
      Executor offload = args.getOffloadExecutor();
      return new EndpointResolver(endpoints, offload != null ? offload : EventLoops.shared());
    }

    @Override
    protected boolean isAvailable() {
      return true;
    }

    @Override
    protected int priority() {
      return PRIORITY;
    }

    @Override
    public String getDefaultScheme() {
      return SCHEME;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
      return Set.of(InetSocketAddress.class);
    }
  }
}
