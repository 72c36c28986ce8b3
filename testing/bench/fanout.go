package main

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const fanOutWatchers = 1_000

// fanOut: one client puts one key, and puts again when all watchers have the event. An operation is
// an event delivered. Watches of a client share a stream, as those of etcd's own client do.
func fanOut(b *Bench) (Sample, error) {
	watched := key("fanout", 0)
	watchers, err := StartWatchers(b.Endpoints, WatchShape{
		Watches: fanOutWatchers, Streams: 10, Conns: 10,
		Request: func(int) *pb.WatchCreateRequest { return &pb.WatchCreateRequest{Key: watched} },
	})
	if err != nil {
		return Sample{}, err
	}
	defer watchers.Close()
	conn, err := dial(b.Endpoints[0])
	if err != nil {
		return Sample{}, err
	}
	defer conn.Close()

	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		put := &pb.PutRequest{Key: watched, Value: value(valueBytes, seeded(0))}
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			watchers.Expect(fanOutWatchers)
			stamp(put.Value)
			if _, err := pb.NewKVClient(conn).Put(context.Background(), put); err != nil {
				ended <- err
				return
			}
			select {
			case <-watchers.reached:
			case <-time.After(10 * time.Second):
				ended <- fmt.Errorf("events missing: %d of %d (%v)", watchers.events.Load(), watchers.wanted.Load(), watchers.Failure())
				return
			}
		}
	}()
	s, err := b.measureEvents(watchers)
	close(stop)
	if failed := <-ended; failed != nil {
		return s, failed
	}
	s.Latency = watchers.Close()
	return s, err
}

// fanOutWide: 100 clients put 10,000 keys, each of which has a watcher. An operation is an event
// delivered; the puts' own figures stand beside.
func fanOutWide(b *Bench) (Sample, error) {
	const keys = 10_000
	watchers, err := StartWatchers(b.Endpoints, WatchShape{
		Watches: keys, Streams: 10, Conns: 10,
		Request: func(i int) *pb.WatchCreateRequest { return &pb.WatchCreateRequest{Key: key("fanoutwide", i)} },
	})
	if err != nil {
		return Sample{}, err
	}
	defer watchers.Close()
	run, err := StartLoad(b.Endpoints, closedLoop(100, func(i int) Source { return stampedPuts("fanoutwide", keys, i) }))
	if err != nil {
		return Sample{}, err
	}
	run.Measure()
	s, err := b.measureEvents(watchers)
	puts, errors, failure := run.Stop()
	s.Latency, s.Errors, s.Failure = watchers.Close(), errors, failure
	s.Extras = []Extra{{Name: "put p99", Unit: "ms", Value: inMillis(puts.Quantile(0.99))}}
	return s, err
}

// watchLatency: one watcher of one key that is put 200 times a second.
func watchLatency(b *Bench) (Sample, error) {
	watchers, err := StartWatchers(b.Endpoints, WatchShape{
		Watches: 1, Streams: 1, Conns: 1,
		Request: func(int) *pb.WatchCreateRequest { return &pb.WatchCreateRequest{Key: key("watched", 0)} },
	})
	if err != nil {
		return Sample{}, err
	}
	defer watchers.Close()
	crowd, err := StartLoad(b.Endpoints, closedLoop(warmClients, func(i int) Source { return stampedPuts("watched", 1, i) }))
	if err != nil {
		return Sample{}, err
	}
	err = b.settle(crowd.Completed, b.Warmup)
	crowd.Stop()
	if err != nil {
		return Sample{}, err
	}
	background, err := StartBackground(b.Endpoints[0], "watched", 1)
	if err != nil {
		return Sample{}, err
	}
	time.Sleep(time.Second)
	meter, err := b.StartMeter()
	if err != nil {
		return Sample{}, err
	}
	before := watchers.events.Load()
	watchers.measuring.Store(true)
	time.Sleep(b.Seconds)
	s, err := meter.Stop()
	s.Ops = watchers.events.Load() - before
	_, s.Failure = background.Stop()
	s.Latency = watchers.Close()
	return s, err
}

// measureEvents warms up and measures while events arrive.
func (b *Bench) measureEvents(watchers *Watchers) (Sample, error) {
	if err := b.settle(watchers.events.Load, b.Warmup); err != nil {
		return Sample{}, err
	}
	profile, err := b.startProfile()
	if err != nil {
		return Sample{}, err
	}
	meter, err := b.StartMeter()
	if err != nil {
		return Sample{}, err
	}
	before := watchers.events.Load()
	watchers.measuring.Store(true)
	time.Sleep(b.Seconds)
	s, err := meter.Stop()
	s.Ops = watchers.events.Load() - before
	watchers.measuring.Store(false)
	if err != nil {
		return s, err
	}
	return s, profile.stop()
}
