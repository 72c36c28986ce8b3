package dev.etcdj.server.membership;

import java.util.List;

/// Is told which members there are to talk to. Called by the apply loop.
public interface PeerDirectory {
  /// A member came in, or its peer URLs changed.
  void memberAt(long id, List<String> peerUrls);

  /// A member was removed for good; it may be this one.
  void memberRemoved(long id);
}
