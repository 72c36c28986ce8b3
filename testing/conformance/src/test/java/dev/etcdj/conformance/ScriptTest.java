package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Guarantee: what the suite prints can be read again, so that a shrunk program can be pasted.
final class ScriptTest {
  private static Program one(String lines) {
    return Script.read("f.txt", "case KV-1, KV-2: title\n" + lines).getFirst();
  }

  @Test
  void printedProgramsReadTheSame() {
    for (long number = 0; number < 200; number++) {
      Program program = Generator.program(7, number);
      List<Step> again = Script.read("f.txt", Script.write(program)).getFirst().steps();
      assertEquals(program.steps(), again, program.name());
    }
  }

  @Test
  void theHandPickedReadTheSame() {
    for (Program program : HandPicked.all()) {
      List<Step> again = Script.read("f.txt", Script.write(program)).getFirst().steps();
      assertEquals(program.steps(), again, program.name());
    }
  }

  @Test
  void theSameSeedGivesTheSameProgram() {
    assertEquals(Generator.program(3, 5), Generator.program(3, 5));
    assertTrue(!Generator.program(3, 5).steps().equals(Generator.program(4, 5).steps()));
  }

  @Test
  void relativeRevisions() {
    Program program = one("range { key: \"$+1@\" revision: $+2 min_mod_revision: @-1 limit: 4 }");
    Step.Call call = (Step.Call) program.steps().getFirst();
    RangeRequest range = (RangeRequest) Revisions.resolve(call.request(), 100, 200);
    assertEquals(ByteString.copyFromUtf8("$+1@"), range.getKey());
    assertEquals(102, range.getRevision());
    assertEquals(199, range.getMinModRevision());
    assertEquals(4, range.getLimit());
  }

  @Test
  void repetitions() {
    Program program =
        one(
            "repeat 3 put { key: \"k<i2>\" }\ntxn { 2*( success { request_range {\nkey: \"4*(a)<n>\" } } ) }");
    assertEquals(4, program.steps().size());
    TxnRequest txn = (TxnRequest) ((Step.Call) program.steps().get(3)).request();
    assertEquals("aaaa1", txn.getSuccess(1).getRequestRange().getKey().toStringUtf8());
  }

  @Test
  void complaintsNameTheLine() {
    for (String bad : List.of("put { kex: 1 }", "nothing {}", "watch A jump", "put { key: \"a\"")) {
      var e = assertThrows(IllegalArgumentException.class, () -> one("range { }\n" + bad));
      assertTrue(String.valueOf(e.getMessage()).startsWith("f.txt:3: "), e.getMessage());
    }
  }
}
