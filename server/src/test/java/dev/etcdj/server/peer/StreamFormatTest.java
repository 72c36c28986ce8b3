package dev.etcdj.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Both stream formats against the byte layouts of the peer protocol §3.5. Replay with -Dseed=.
class StreamFormatTest {
  private static final long SEED = Long.getLong("seed", 20260802);

  @Test
  void squeezesAppendsThatGoOnWhereTheLastEnded() {
    MsgAppEncoder encoder = new MsgAppEncoder();
    // Neither end has a position yet, so the first append goes as a whole message.
    assertEquals(2, firstByte(encoder, append(2, 2, 10, 2)));
    // Continues at (2, 12).
    ByteBuf run = Unpooled.buffer();
    encoder.write(append(2, 2, 12, 1), run);
    assertEquals(
        "01" + "0000000000000001" + "0000000000000007" + "1002180d220178" + "000000000000000c",
        ByteBufUtil.hexDump(run));
    // An empty append does not move the position.
    assertEquals(1, firstByte(encoder, append(2, 2, 13, 0)));
    assertEquals(1, firstByte(encoder, append(2, 2, 13, 3)));
    // A probe at another index, and one in a new term whose previous entry is older.
    assertEquals(2, firstByte(encoder, append(2, 2, 5, 0)));
    assertEquals(2, firstByte(encoder, append(3, 2, 5, 1)));
    assertEquals(1, firstByte(encoder, append(3, 3, 6, 1)));
    // A commit index that wants no answer is a whole message; the next append goes on where it is.
    assertEquals(2, firstByte(encoder, new Message.CommitIndex(2, 1, 3, 3, 7, 7)));
    assertEquals(1, firstByte(encoder, append(3, 3, 7, 1)));
  }

  @Test
  void readerRebuildsWhatTheWriterTookHoweverTheBytesAreCut() {
    Random random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      List<Message> sent = new ArrayList<>();
      MsgAppEncoder encoder = new MsgAppEncoder();
      ByteBuf wire = Unpooled.buffer();
      long term = 1;
      long index = 0;
      for (int i = 0; i < 50; i++) {
        if (random.nextInt(10) == 0) {
          term++;
        }
        int count = random.nextInt(6);
        Message.Append append =
            append(term, random.nextInt(10) == 0 ? term - 1 : term, index, count);
        index = random.nextInt(12) == 0 ? random.nextInt(100) : index + count;
        sent.add(append);
        encoder.write(append, wire);
        if (random.nextInt(5) == 0) {
          Message.CommitIndex news = new Message.CommitIndex(2, 1, term, term, index, i);
          sent.add(news);
          encoder.write(news, wire);
        }
        if (random.nextInt(4) == 0) {
          encoder.heartbeat(wire);
        }
      }
      assertEquals(sent, decode(new MsgAppDecoder(2, 1), wire, random), "seed " + SEED);
    }
  }

  @Test
  void messageStreamKeepsOrderHoweverTheBytesAreCut() {
    Random random = new Random(SEED);
    List<Message> sent = new ArrayList<>();
    ByteBuf wire = Unpooled.buffer();
    MessageEncoder encoder = new MessageEncoder();
    for (int i = 0; i < 500; i++) {
      Message.Remote message = RaftCodecTest.RandomMessages.any(random);
      sent.add(message);
      encoder.write(message, wire);
    }
    assertEquals(sent, decode(new MessageDecoder(), wire, random), "seed " + SEED);
  }

  @Test
  void linkHeartbeatOfTheMessageStreamHasNoSender() {
    ByteBuf wire = Unpooled.buffer();
    new MessageEncoder().heartbeat(wire);
    assertEquals("00000000000000020808", ByteBufUtil.hexDump(wire));
  }

  @Test
  void bytesThatFitNoFormEndTheStream() {
    EmbeddedChannel appends = new EmbeddedChannel(new MsgAppDecoder(2, 1));
    assertThrows(
        DecoderException.class,
        () -> appends.writeInbound(Unpooled.wrappedBuffer(new byte[] {7, 1, 2, 3})));
    EmbeddedChannel tooLong = new EmbeddedChannel(new MessageDecoder());
    assertThrows(
        DecoderException.class,
        () -> tooLong.writeInbound(Unpooled.buffer().writeLong((512L << 20) + 1)));
    EmbeddedChannel negative = new EmbeddedChannel(new MessageDecoder());
    assertThrows(
        DecoderException.class, () -> negative.writeInbound(Unpooled.buffer().writeLong(-1)));
    EmbeddedChannel longRun = new EmbeddedChannel(new MsgAppDecoder(2, 1));
    assertThrows(
        DecoderException.class,
        () ->
            longRun.writeInbound(
                Unpooled.buffer().writeByte(1).writeLong(2).writeLong(513L << 20)));
    // As long as is allowed is only waited for.
    EmbeddedChannel longest = new EmbeddedChannel(new MessageDecoder());
    longest.writeInbound(Unpooled.buffer().writeLong(512L << 20));
    assertNull(longest.readInbound());
  }

  private static List<Message> decode(
      io.netty.channel.ChannelHandler decoder, ByteBuf wire, Random random) {
    EmbeddedChannel channel = new EmbeddedChannel(decoder);
    while (wire.isReadable()) {
      int count = Math.min(1 + random.nextInt(200), wire.readableBytes());
      channel.writeInbound(wire.readBytes(count));
    }
    List<Message> read = new ArrayList<>();
    for (Message m = channel.readInbound(); m != null; m = channel.readInbound()) {
      read.add(m);
    }
    return read;
  }

  private static int firstByte(MsgAppEncoder encoder, Message.Remote message) {
    ByteBuf out = Unpooled.buffer();
    encoder.write(message, out);
    return out.getByte(0);
  }

  static Message.Append append(long term, long prevTerm, long prevIndex, int count) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      entries.add(new Entry(term, prevIndex + i, EntryType.NORMAL, Bytes.wrap(new byte[] {'x'})));
    }
    return new Message.Append(2, 1, term, prevTerm, prevIndex, entries, prevIndex);
  }
}
