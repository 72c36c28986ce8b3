package dev.etcdj.simulation.workload;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.mvccpb.KeyValue;

/// Keys and values of the workload, which are numbers to the checker.
final class Names {
  private static final char PAD = '.';

  private Names() {}

  static ByteString key(int number) {
    return ByteString.copyFromUtf8("k" + number);
  }

  /// All of them.
  static ByteString firstKey() {
    return ByteString.copyFromUtf8("k");
  }

  static ByteString behindLastKey() {
    return ByteString.copyFromUtf8("l");
  }

  static ByteString value(int number, int bytes) {
    String digits = Integer.toString(number);
    return ByteString.copyFromUtf8(
        digits + String.valueOf(PAD).repeat(Math.max(1, bytes - digits.length())));
  }

  /// The number in a value, 0 for none.
  static int number(KeyValue kv) {
    if (kv == null) {
      return 0;
    }
    int number = 0;
    for (int i = 0; i < kv.getValue().size(); i++) {
      int digit = kv.getValue().byteAt(i) - '0';
      if (digit < 0) {
        break;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  static int keyNumber(KeyValue kv) {
    return Integer.parseInt(kv.getKey().substring(1).toStringUtf8());
  }
}
