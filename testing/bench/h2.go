package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// receiveWindow is what a connection and each of its streams allow the server to send ahead: what
// grpc-go's own estimate grows to at most. smallWindow is HTTP/2's default.
const (
	receiveWindow = 16 << 20
	smallWindow   = 65535
)

// H2Conn is a gRPC client connection reduced to what a load generator needs. A gRPC client of the
// usual kind costs as much CPU per request as the server under test; on two cores that would
// measure the client. Here one goroutine reads a connection's replies, calls the streams' handlers,
// and writes what they sent in one go when nothing more is waiting to be read.
//
// Send, Open and Flush may be called from any goroutine; handlers run on the reading one.
type H2Conn struct {
	socket    net.Conn
	authority string
	framer    *http2.Framer
	reader    *bufio.Reader
	headers   *hpack.Decoder

	mu         sync.Mutex // guards all below
	out        []byte
	encoder    *hpack.Encoder
	block      bytes.Buffer
	nextID     uint32
	streams    map[uint32]*H2Stream
	sendWindow int64
	parked     []parkedData // waits for the server to open its window
	consumed   int64        // bytes received since the last window update
	status     string       // grpc-status and grpc-message of the header block being read
	message    string
}

type parkedData struct {
	stream *H2Stream
	data   []byte
	last   bool
}

// Handler receives what a stream brings. The message is valid during the call only.
type Handler interface {
	OnMessage(s *H2Stream, message []byte)
	OnEnd(s *H2Stream, err error)
}

// H2Stream is one call.
type H2Stream struct {
	conn     *H2Conn
	id       uint32
	handler  Handler
	unread   bool // replies are counted only, not put together: OnMessage is never called
	partial  []byte
	received int64
	consumed int64 // of received, what the last window update did not cover
}

// DialH2 connects and exchanges prefaces. window is what the server may send ahead per stream.
func DialH2(endpoint string, window int) (*H2Conn, error) {
	socket, err := net.DialTimeout("tcp", endpoint, 5*time.Second)
	if err != nil {
		return nil, err
	}
	c := &H2Conn{
		socket: socket, authority: endpoint, reader: bufio.NewReaderSize(socket, 256<<10),
		nextID: 1, streams: map[uint32]*H2Stream{}, sendWindow: smallWindow,
	}
	c.encoder = hpack.NewEncoder(&c.block)
	c.headers = hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		switch f.Name {
		case "grpc-status":
			c.status = f.Value
		case "grpc-message":
			c.message = f.Value
		}
	})
	c.framer = http2.NewFramer(writerInto{c}, c.reader)
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(1<<24 - 1)
	c.out = append(c.out, http2.ClientPreface...)
	c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(window)},
		http2.Setting{ID: http2.SettingEnablePush, Val: 0})
	if window > smallWindow {
		c.framer.WriteWindowUpdate(0, uint32(window)-smallWindow)
	}
	return c, c.Flush()
}

// writerInto lets the framer write into the connection's buffer.
type writerInto struct{ c *H2Conn }

func (w writerInto) Write(p []byte) (int, error) {
	w.c.out = append(w.c.out, p...)
	return len(p), nil
}

// Open starts a call of the method, e.g. "/etcdserverpb.KV/Put". Message is a gRPC message with its
// five bytes of length in front; last says that no more follow.
func (c *H2Conn) Open(s *H2Stream, method string, message []byte, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.conn, s.id, s.partial, s.received, s.consumed = c, c.nextID, s.partial[:0], 0, 0
	c.nextID += 2
	c.streams[s.id] = s
	c.block.Reset()
	for _, f := range [...]hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: method},
		{Name: ":authority", Value: c.authority}, {Name: "content-type", Value: "application/grpc"},
		{Name: "user-agent", Value: "etcd-j-bench"}, {Name: "te", Value: "trailers"},
	} {
		c.encoder.WriteField(f)
	}
	c.frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, s.id, c.block.Bytes())
	c.data(s, message, last)
}

// Send adds a message to an open call.
func (c *H2Conn) Send(s *H2Stream, message []byte) {
	c.mu.Lock()
	c.data(s, message, false)
	c.mu.Unlock()
}

func (c *H2Conn) data(s *H2Stream, message []byte, last bool) {
	if c.sendWindow < int64(len(message)) {
		c.parked = append(c.parked, parkedData{s, bytes.Clone(message), last})
		return
	}
	c.sendWindow -= int64(len(message))
	var flags http2.Flags
	if last {
		flags = http2.FlagDataEndStream
	}
	c.frame(http2.FrameData, flags, s.id, message)
}

func (c *H2Conn) frame(kind http2.FrameType, flags http2.Flags, stream uint32, payload []byte) {
	n := len(payload)
	c.out = append(c.out, byte(n>>16), byte(n>>8), byte(n), byte(kind), byte(flags))
	c.out = binary.BigEndian.AppendUint32(c.out, stream)
	c.out = append(c.out, payload...)
}

// Flush writes what was sent.
func (c *H2Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) == 0 {
		return nil
	}
	_, err := c.socket.Write(c.out)
	c.out = c.out[:0]
	return err
}

// Close ends the connection; its Run returns.
func (c *H2Conn) Close() { c.socket.Close() }

// Run reads until the connection ends or done says so after a batch of replies, and returns why it
// ended. Calls still open then get no answer.
func (c *H2Conn) Run(done func() bool) error {
	for {
		if c.reader.Buffered() == 0 {
			if err := c.Flush(); err != nil {
				return err
			}
			if done() {
				return nil
			}
		}
		f, err := c.framer.ReadFrame()
		if err != nil {
			return err
		}
		if err := c.handle(f); err != nil {
			return err
		}
	}
}

func (c *H2Conn) handle(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.DataFrame:
		if s := c.streams[f.StreamID]; s != nil {
			c.received(s, f.Data(), f.StreamEnded())
			if f.StreamEnded() {
				c.end(s, errors.New("stream ended without status"))
			}
		}
	case *http2.HeadersFrame:
		c.status, c.message = "", ""
		if _, err := c.headers.Write(f.HeaderBlockFragment()); err != nil {
			return err
		}
		if !f.HeadersEnded() {
			return errors.New("continuation frames are not expected here")
		}
		if s := c.streams[f.StreamID]; s != nil && f.StreamEnded() {
			c.end(s, c.statusError())
		}
	case *http2.RSTStreamFrame:
		if s := c.streams[f.StreamID]; s != nil {
			c.end(s, fmt.Errorf("stream reset: %v", f.ErrCode))
		}
	case *http2.SettingsFrame:
		if !f.IsAck() {
			c.mu.Lock()
			c.framer.WriteSettingsAck()
			c.mu.Unlock()
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			c.mu.Lock()
			c.framer.WritePing(true, f.Data)
			c.mu.Unlock()
		}
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			c.widen(int64(f.Increment))
		}
	case *http2.GoAwayFrame:
		return fmt.Errorf("server went away: %v %s", f.ErrCode, f.DebugData())
	}
	return nil
}

func (c *H2Conn) statusError() error {
	if c.status == "0" {
		return nil
	}
	return fmt.Errorf("grpc-status %s: %s", c.status, c.message)
}

// widen takes a window update of the connection and sends what waited for it.
func (c *H2Conn) widen(by int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendWindow += by
	waiting := c.parked
	c.parked = nil
	for _, p := range waiting {
		c.data(p.stream, p.data, p.last)
	}
}

func (c *H2Conn) end(s *H2Stream, err error) {
	delete(c.streams, s.id)
	s.handler.OnEnd(s, err)
}

// received counts, hands complete messages to the handler and reopens the windows by halves.
func (c *H2Conn) received(s *H2Stream, data []byte, ended bool) {
	c.consumed += int64(len(data))
	s.consumed += int64(len(data))
	s.received += int64(len(data))
	if c.consumed > receiveWindow/2 {
		c.mu.Lock()
		c.framer.WriteWindowUpdate(0, uint32(c.consumed))
		c.mu.Unlock()
		c.consumed = 0
	}
	if s.consumed > receiveWindow/2 && !ended {
		c.mu.Lock()
		c.framer.WriteWindowUpdate(s.id, uint32(s.consumed))
		c.mu.Unlock()
		s.consumed = 0
	}
	if s.unread {
		return
	}
	if len(s.partial) > 0 {
		s.partial = append(s.partial, data...)
		data = s.partial
	}
	for len(data) >= 5 {
		size := 5 + int(binary.BigEndian.Uint32(data[1:]))
		if len(data) < size {
			break
		}
		s.handler.OnMessage(s, data[5:size])
		data = data[size:]
	}
	s.partial = append(s.partial[:0], data...)
}

// hostPort strips the scheme of a URL.
func hostPort(url string) string { return strings.TrimPrefix(url, "http://") }
