package main

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// backgroundEvery is the pace of the background puts: 200 a second.
const backgroundEvery = 5 * time.Millisecond

// Background puts at a fixed pace, whether or not the servers keep up. A put's latency counts from
// the time at which it was due, so that waiting for a stalled server is not left out.
type Background struct {
	stop    chan struct{}
	pending sync.WaitGroup

	mu      sync.Mutex
	latency *Histogram
	failure error
}

// StartBackground puts keys of the folder by turns.
func StartBackground(endpoint, folder string, keys int) (*Background, error) {
	conn, err := dial(endpoint)
	if err != nil {
		return nil, err
	}
	b := &Background{stop: make(chan struct{}), latency: &Histogram{}}
	b.pending.Go(func() {
		due := time.Now()
		for n := 0; ; n++ {
			due = due.Add(backgroundEvery)
			select {
			case <-b.stop:
				return
			case <-time.After(time.Until(due)):
			}
			put := &pb.PutRequest{Key: key(folder, n%keys), Value: value(valueBytes, seeded(n))}
			sent := due
			b.pending.Go(func() {
				stamp(put.Value)
				_, err := pb.NewKVClient(conn).Put(context.Background(), put)
				b.record(time.Since(sent), err)
			})
		}
	})
	go func() {
		<-b.stop
		b.pending.Wait()
		conn.Close()
	}()
	return b, nil
}

func (b *Background) record(latency time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		if b.failure == nil {
			b.failure = err
		}
		return
	}
	b.latency.Record(latency)
}

// Take returns what was recorded since the last Take. Puts still under way count for the next.
func (b *Background) Take() Histogram {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.latency
	b.latency = &Histogram{}
	return *taken
}

// Stop waits for the puts under way and returns what was recorded since the last Take.
func (b *Background) Stop() (Histogram, error) {
	close(b.stop)
	b.pending.Wait()
	return b.Take(), b.failure
}

func inMillis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
