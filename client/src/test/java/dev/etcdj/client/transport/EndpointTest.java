package dev.etcdj.client.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/// Guarantee: endpoints are read as etcd's clients read them, and a bad one is named.
class EndpointTest {
  @Test
  void readsEveryForm() {
    assertEquals("127.0.0.1:2379", Endpoint.parse(" 127.0.0.1:2379 ").authority());
    assertEquals("h:2379", Endpoint.parse("h").authority());
    assertEquals("[::1]:80", Endpoint.parse("http://[::1]:80/").authority());
    assertEquals(Endpoint.Tls.ON, Endpoint.parse("https://h:1").tls());
    assertEquals(Endpoint.Tls.OFF, Endpoint.parse("http://h:1").tls());
    assertEquals(Endpoint.Tls.UNSAID, Endpoint.parse("h:1").tls());
  }

  @Test
  void namesABadOne() {
    for (String bad : new String[] {"h:port", "h:70000", "ftp://h:1", "", ":1"}) {
      IllegalArgumentException error =
          assertThrows(IllegalArgumentException.class, () -> Endpoint.parse(bad));
      assertEquals(-1, String.valueOf(error.getMessage()).indexOf('\n'));
    }
  }
}
