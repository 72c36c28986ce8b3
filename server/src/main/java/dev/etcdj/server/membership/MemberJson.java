package dev.etcdj.server.membership;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// JSON of members, as it stands in the backend, in configuration changes and in the answer of
/// `GET /members` on the peer port (wire reference: raft payloads, backend schema).
///
/// Keys come in the order id, peerURLs, isLearner, name, clientURLs; what is false or empty is
/// left out. Ids are unsigned decimal numbers.
public final class MemberJson {
  /// A member as a configuration change carries it. `promote`: an existing learner becomes a
  /// voter, nothing else changes.
  public record Context(Member member, boolean promote) {}

  private MemberJson() {}

  /// Bytes of one member.
  public static byte[] encode(Member member) {
    return write(json -> member(json, member, false));
  }

  /// Bytes of a list of members, with isLearner, name and clientURLs always present as etcd's
  /// peer port answers them.
  public static byte[] encode(List<Member> members) {
    return write(
        json -> {
          json.beginArray();
          for (Member member : members) {
            json.beginObject();
            json.name("id").jsonValue(Long.toUnsignedString(member.id()));
            urls(json, "peerURLs", member.peerUrls());
            if (member.learner()) {
              json.name("isLearner").value(true);
            }
            json.name("name").value(member.name());
            if (!member.clientUrls().isEmpty()) {
              urls(json, "clientURLs", member.clientUrls());
            }
            json.endObject();
          }
          json.endArray();
        });
  }

  /// Context of a configuration change.
  public static byte[] encodeContext(Context context) {
    return write(json -> member(json, context.member(), context.promote()));
  }

  /// @throws IllegalArgumentException when `bytes` is not the JSON of a member
  public static Context decodeContext(byte[] bytes) {
    return read(bytes, MemberJson::context);
  }

  /// @throws IllegalArgumentException when `bytes` is not the JSON of a member
  public static Member decode(byte[] bytes) {
    return decodeContext(bytes).member();
  }

  /// @throws IllegalArgumentException when `bytes` is not a JSON array of members
  public static List<Member> decodeList(byte[] bytes) {
    return read(
        bytes,
        json -> {
          List<Member> members = new ArrayList<>();
          json.beginArray();
          while (json.hasNext()) {
            members.add(context(json).member());
          }
          json.endArray();
          return members;
        });
  }

  private static void member(JsonWriter json, Member member, boolean promote) throws IOException {
    json.beginObject();
    json.name("id").jsonValue(Long.toUnsignedString(member.id()));
    if (promote) {
      json.name("peerURLs").nullValue();
    } else {
      urls(json, "peerURLs", member.peerUrls());
    }
    if (member.learner()) {
      json.name("isLearner").value(true);
    }
    if (!member.name().isEmpty()) {
      json.name("name").value(member.name());
    }
    if (!member.clientUrls().isEmpty()) {
      urls(json, "clientURLs", member.clientUrls());
    }
    if (promote) {
      json.name("isPromote").value(true);
    }
    json.endObject();
  }

  private static void urls(JsonWriter json, String name, List<String> urls) throws IOException {
    json.name(name).beginArray();
    for (String url : urls) {
      json.value(url);
    }
    json.endArray();
  }

  private static Context context(JsonReader json) throws IOException {
    long id = 0;
    String name = "";
    List<String> peerUrls = List.of();
    List<String> clientUrls = List.of();
    boolean learner = false;
    boolean promote = false;
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case "id" -> id = new BigInteger(json.nextString()).longValue();
        case "name" -> name = json.nextString();
        case "peerURLs" -> peerUrls = strings(json);
        case "clientURLs" -> clientUrls = strings(json);
        case "isLearner" -> learner = json.nextBoolean();
        case "isPromote" -> promote = json.nextBoolean();
        default -> json.skipValue();
      }
    }
    json.endObject();
    return new Context(new Member(id, name, peerUrls, clientUrls, learner), promote);
  }

  private static List<String> strings(JsonReader json) throws IOException {
    List<String> strings = new ArrayList<>();
    if (json.peek() == JsonToken.NULL) {
      json.nextNull();
      return strings;
    }
    json.beginArray();
    while (json.hasNext()) {
      strings.add(json.nextString());
    }
    json.endArray();
    return strings;
  }

  private interface Writing {
    void to(JsonWriter json) throws IOException;
  }

  private interface Reading<T> {
    T from(JsonReader json) throws IOException;
  }

  private static byte[] write(Writing writing) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      writing.to(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static <T> T read(byte[] bytes, Reading<T> reading) {
    try (JsonReader json =
        new JsonReader(new StringReader(new String(bytes, StandardCharsets.UTF_8)))) {
      return reading.from(json);
    } catch (IOException | IllegalStateException | NumberFormatException e) {
      throw new IllegalArgumentException("not the JSON of a member: " + e.getMessage(), e);
    }
  }
}
