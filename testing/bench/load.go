package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Phases of a load, in order.
const (
	warming int32 = iota
	measuring
	stopping
)

// Load is a closed loop: each client sends its next request when the reply to the last one is there.
type Load struct {
	Clients int
	Conns   int
	Streams bool // one call per client stays open, and each message is answered by one
	Source  func(client int) Source
	Total   int64 // how many operations to send; 0 for no end
	// ReplyBytes is what a reply holds at least; a shorter one counts as an error.
	ReplyBytes int64
}

// LoadRun is a running load. Connections go to the endpoints in turn, the first one's to the leader.
type LoadRun struct {
	phase   atomic.Int32
	sent    atomic.Int64 // kept only for a load with a total
	workers []*worker
	running sync.WaitGroup
}

// worker is one connection and its share of the clients; its goroutine owns the figures.
type worker struct {
	run     *LoadRun
	conn    *H2Conn
	slots   []*slot
	open    int
	latency Histogram
	ended   atomic.Uint64 // calls or messages answered, in all phases; the settling reads it
	errors  uint64
	failure error
}

// slot is one client.
type slot struct {
	worker *worker
	source Source
	stream H2Stream
	load   *Load
	since  time.Time
}

// StartLoad connects and starts all clients, in the warming phase.
func StartLoad(endpoints []string, load Load) (*LoadRun, error) {
	r := &LoadRun{}
	for i := range load.Conns {
		conn, err := DialH2(endpoints[i%len(endpoints)], receiveWindow)
		if err != nil {
			return nil, err
		}
		r.workers = append(r.workers, &worker{run: r, conn: conn})
	}
	for i := range load.Clients {
		w := r.workers[i%len(r.workers)]
		w.slots = append(w.slots, &slot{worker: w, source: load.Source(i), load: &load})
	}
	for _, w := range r.workers {
		r.running.Go(w.work)
	}
	return r, nil
}

// Measure begins the phase whose replies count.
func (r *LoadRun) Measure() { r.phase.Store(measuring) }

// Completed counts the operations since the start.
func (r *LoadRun) Completed() (n uint64) {
	for _, w := range r.workers {
		n += w.ended.Load()
	}
	return n
}

// Stop lets the requests under way finish and returns what was measured.
func (r *LoadRun) Stop() (latency Histogram, errors uint64, failure error) {
	r.phase.Store(stopping)
	cut := time.AfterFunc(30*time.Second, func() {
		for _, w := range r.workers {
			w.conn.Close()
		}
	})
	defer cut.Stop()
	return r.Wait()
}

// Wait waits until the load has ended: of itself when it has a total.
func (r *LoadRun) Wait() (latency Histogram, errors uint64, failure error) {
	r.running.Wait()
	for _, w := range r.workers {
		latency.Merge(&w.latency)
		errors += w.errors
		if failure == nil {
			failure = w.failure
		}
	}
	return latency, errors, failure
}

func (w *worker) work() {
	defer w.conn.Close()
	for _, s := range w.slots {
		s.stream.handler, s.stream.unread = s, !s.load.Streams
		s.begin()
	}
	err := w.conn.Run(func() bool { return w.open == 0 })
	if err != nil {
		w.errors += uint64(w.open)
		w.failure = fmt.Errorf("connection lost: %w", err)
	}
}

func (s *slot) begin() {
	if total := s.load.Total; total > 0 && s.worker.run.sent.Add(1) > total {
		return
	}
	s.worker.open++
	method, message := s.source.Next()
	s.since = time.Now()
	s.worker.conn.Open(&s.stream, method, message, !s.load.Streams)
}

func (s *slot) OnMessage(stream *H2Stream, _ []byte) {
	w := s.worker
	w.ended.Add(1)
	phase := w.run.phase.Load()
	s.record(phase)
	if phase == stopping {
		w.open--
		return
	}
	_, message := s.source.Next()
	s.since = time.Now()
	w.conn.Send(stream, message)
}

func (s *slot) OnEnd(_ *H2Stream, err error) {
	w := s.worker
	w.open--
	w.ended.Add(1)
	phase := w.run.phase.Load()
	if err == nil && s.stream.received < s.load.ReplyBytes {
		err = fmt.Errorf("a reply of %d bytes, at least %d were expected", s.stream.received, s.load.ReplyBytes)
	}
	if err != nil {
		w.errors++
		if w.failure == nil {
			w.failure = err
		}
	} else {
		s.record(phase)
	}
	if phase != stopping && !s.load.Streams {
		s.begin()
	}
}

func (s *slot) record(phase int32) {
	if phase == measuring {
		s.worker.latency.Record(time.Since(s.since))
	}
}
