package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/encoding/protowire"
)

// epoch is what the times written into values count from.
var epoch = time.Now()

// stamp writes the time into the first bytes of a value, where watchers find it.
func stamp(value []byte) { binary.BigEndian.PutUint64(value, uint64(time.Since(epoch))) }

// stamped is a put whose value carries the time of sending.
type stamped struct {
	*keyed
	valueAt int
}

func (s stamped) Next() (string, []byte) {
	method, message := s.keyed.Next()
	stamp(message[s.valueAt:])
	return method, message
}

func stampedPuts(folder string, keys, client int) Source {
	k := putSource(folder, keys, seeded(client)).(*keyed)
	return stamped{k, len(k.message) - valueBytes}
}

// WatchShape says what is watched and how the watches share streams and connections.
type WatchShape struct {
	Watches, Streams, Conns int
	Request                 func(watch int) *pb.WatchCreateRequest
	Stalled                 bool // stop reading once all are created
}

// Watchers are open watches and what has arrived at them.
type Watchers struct {
	conns     []*watchConn
	created   atomic.Int64
	events    atomic.Uint64
	measuring atomic.Bool
	wanted    atomic.Uint64
	reached   chan struct{} // told when `wanted` events have arrived
	running   sync.WaitGroup
	failed    atomic.Pointer[error]
	closing   atomic.Bool
}

// watchConn is one connection with its streams; its goroutine owns the figures.
type watchConn struct {
	all     *Watchers
	conn    *H2Conn
	watches int
	created int
	latency Histogram
}

// StartWatchers creates all watches and waits until the servers have confirmed them.
func StartWatchers(endpoints []string, shape WatchShape) (*Watchers, error) {
	w := &Watchers{reached: make(chan struct{}, 1)}
	window := receiveWindow
	if shape.Stalled {
		window = smallWindow
	}
	for i := range shape.Conns {
		conn, err := DialH2(endpoints[i%len(endpoints)], window)
		if err != nil {
			w.Close()
			return nil, err
		}
		w.conns = append(w.conns, &watchConn{all: w, conn: conn})
	}
	streams := make([]H2Stream, shape.Streams)
	for i := range shape.Watches {
		n := i % len(streams)
		c, stream := w.conns[n%len(w.conns)], &streams[n]
		message := framed(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: shape.Request(i)}})
		c.watches++
		if stream.handler == nil {
			stream.handler = c
			c.conn.Open(stream, methodWatch, message, false)
		} else {
			c.conn.Send(stream, message)
		}
	}
	for _, c := range w.conns {
		w.running.Go(func() { c.read(shape.Stalled) })
	}
	for deadline := time.Now().Add(time.Minute); w.created.Load() < int64(shape.Watches); time.Sleep(time.Millisecond) {
		if err := w.Failure(); err != nil || time.Now().After(deadline) {
			w.Close()
			return nil, fmt.Errorf("%d of %d watches created: %w", w.created.Load(), shape.Watches, err)
		}
	}
	return w, nil
}

func (c *watchConn) read(stall bool) {
	err := c.conn.Run(func() bool { return stall && c.created == c.watches })
	if err != nil {
		c.all.fail(err)
	}
}

func (c *watchConn) OnEnd(_ *H2Stream, err error) {
	c.all.fail(fmt.Errorf("watch stream ended: %w", err))
}

func (c *watchConn) OnMessage(_ *H2Stream, message []byte) {
	arrived := time.Since(epoch)
	measuring := c.all.measuring.Load()
	var events uint64
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		message = message[n:]
		n = protowire.ConsumeFieldValue(number, kind, message)
		if n < 0 {
			c.all.fail(protowire.ParseError(n))
			return
		}
		switch number {
		case 3: // created
			c.created++
			c.all.created.Add(1)
		case 4: // canceled
			c.all.fail(errors.New("watch canceled"))
		case 11: // an event
			events++
			if measuring {
				event, _ := protowire.ConsumeBytes(message)
				if sent, ok := sentAt(event); ok {
					c.latency.Record(arrived - sent)
				}
			}
		}
		message = message[n:]
	}
	if events > 0 {
		total := c.all.events.Add(events)
		if wanted := c.all.wanted.Load(); total >= wanted && total-events < wanted {
			c.all.reached <- struct{}{}
		}
	}
}

// sentAt finds the stamp in an event: field 2 is the key-value pair, whose field 5 is the value.
func sentAt(event []byte) (time.Duration, bool) {
	pair := bytesField(event, 2)
	value := bytesField(pair, 5)
	if len(value) < 8 {
		return 0, false
	}
	return time.Duration(binary.BigEndian.Uint64(value)), true
}

func bytesField(message []byte, wanted protowire.Number) []byte {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		message = message[n:]
		if number == wanted && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			return value
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return nil
		}
		message = message[n:]
	}
	return nil
}

func (w *Watchers) fail(err error) {
	if !w.closing.Load() {
		w.failed.CompareAndSwap(nil, &err)
	}
}

// Failure is the first thing that went wrong, or nil.
func (w *Watchers) Failure() error {
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Expect asks for a word on `reached` once n more events have arrived. Call it before they are caused.
func (w *Watchers) Expect(n uint64) { w.wanted.Store(w.events.Load() + n) }

// Close ends the watches and returns the latencies seen while measuring.
func (w *Watchers) Close() (latency Histogram) {
	w.closing.Store(true)
	for _, c := range w.conns {
		c.conn.Close()
	}
	w.running.Wait()
	for _, c := range w.conns {
		latency.Merge(&c.latency)
	}
	return latency
}
