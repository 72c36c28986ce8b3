package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const (
	idleFor        = 10 * time.Second
	badDayFor      = 20 * time.Second
	lateRevisions  = 200_000
	lateWatches    = 100
	lateLimit      = 5 * time.Minute
	stalledWatches = 1_000
	mib            = 1 << 20
)

// badDay is the frame of a bad day: the background stream, its latency while idle, and the memory
// before.
type badDay struct {
	bench      *Bench
	background *Background
	idle       Histogram
	before     Usage
	meter      Meter
	peak       *peak
	profile    *profiling
}

// startBadDay warms up with puts and records the idle latency of the background stream.
func (b *Bench) startBadDay(folder string, keys int) (*badDay, error) {
	warm, err := StartLoad(b.Endpoints, closedLoop(warmClients, func(i int) Source { return putSource("warm", keySpace, seeded(i)) }))
	if err != nil {
		return nil, err
	}
	err = b.settle(warm.Completed, b.Warmup)
	warm.Stop()
	if err != nil {
		return nil, err
	}
	d := &badDay{bench: b}
	if d.background, err = StartBackground(b.Endpoints[0], folder, keys); err != nil {
		return nil, err
	}
	time.Sleep(time.Second)
	d.background.Take()
	time.Sleep(idleFor)
	d.idle = d.background.Take()
	if d.profile, err = b.startProfile(); err != nil {
		return nil, err
	}
	if d.meter, err = b.StartMeter(); err != nil {
		return nil, err
	}
	d.peak = b.watchPeak()
	return d, nil
}

// finish ends the bad day. The figures common to all days come first.
func (d *badDay) finish() (Sample, error) {
	s, err := d.meter.Stop()
	if err != nil {
		return s, err
	}
	peak := d.peak.stop()
	during, failure := d.background.Stop()
	idle99, during99 := d.idle.Quantile(0.99), during.Quantile(0.99)
	s.Failure = failure
	if err := d.profile.stop(); err != nil {
		return s, err
	}
	s.Extras = []Extra{
		{Name: "put p99 idle", Unit: "ms", Value: inMillis(idle99)},
		{Name: "put p99 during", Unit: "ms", Value: inMillis(during99)},
		{Name: "put p99 during by idle", Unit: "times", Value: per(float64(during99), float64(idle99))},
		{Name: "put longest during", Unit: "ms", Value: inMillis(during.max)},
		{Name: "server CPU", Unit: "s", Value: s.Usage.CPU.Seconds()},
		{Name: "RSS growth at peak", Unit: "MiB", Value: (float64(peak) - float64(d.meter.usage.RSS)) / mib},
	}
	return s, nil
}

// peak follows the resident memory.
type peak struct {
	done    chan struct{}
	highest atomic.Uint64
	running sync.WaitGroup
}

func (b *Bench) watchPeak() *peak {
	p := &peak{done: make(chan struct{})}
	p.running.Go(func() {
		for {
			p.highest.Store(max(p.highest.Load(), b.Cluster.RSS()))
			select {
			case <-p.done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return p
}

func (p *peak) stop() uint64 {
	close(p.done)
	p.running.Wait()
	return p.highest.Load()
}

// bigLists: 8 clients list everything, again and again.
func bigLists(b *Bench) (Sample, error) {
	const keys, size, clients = 10_000, 10_000, 8
	if err := b.Fill("big", keys, size); err != nil {
		return Sample{}, err
	}
	d, err := b.startBadDay("background", 100)
	if err != nil {
		return Sample{}, err
	}
	run, err := StartLoad(b.Endpoints, Load{
		Clients: clients, Conns: clients, ReplyBytes: keys * size,
		Source: func(int) Source { return listSource("big", 0) },
	})
	if err != nil {
		return Sample{}, err
	}
	run.Measure()
	time.Sleep(badDayFor)
	lists, errors, failure := run.Stop()
	s, err := d.finish()
	if s.Failure == nil {
		s.Failure = failure
	}
	s.Errors = errors
	median := lists.Quantile(0.5)
	s.Extras = append(s.Extras,
		Extra{Name: "lists answered", Unit: "", Value: float64(lists.total)},
		Extra{Name: "server CPU per list", Unit: "ms", Value: per(s.Usage.CPU.Seconds()*1000, float64(lists.total))},
		Extra{Name: "list median", Unit: "ms", Value: inMillis(median)},
		Extra{Name: "list longest by median", Unit: "times", Value: per(float64(lists.max), float64(median))})
	return s, err
}

// lateWatchers: 100 watchers of a folder ask for everything since 200,000 revisions ago.
func lateWatchers(b *Bench) (Sample, error) {
	from, err := b.Revision()
	if err != nil {
		return Sample{}, err
	}
	if _, err := b.PutEach("late", lateRevisions, 10_000); err != nil {
		return Sample{}, err
	}
	d, err := b.startBadDay("background", 100)
	if err != nil {
		return Sample{}, err
	}
	first, end := folderRange("late")
	began := time.Now()
	watchers, err := StartWatchers(b.Endpoints, WatchShape{
		Watches: lateWatches, Streams: lateWatches, Conns: lateWatches,
		Request: func(int) *pb.WatchCreateRequest {
			return &pb.WatchCreateRequest{Key: first, RangeEnd: end, StartRevision: from + 1}
		},
	})
	if err != nil {
		return Sample{}, err
	}
	const all = lateWatches * lateRevisions
	for watchers.events.Load() < all && time.Since(began) < lateLimit && watchers.Failure() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	took, events, failure := time.Since(began), watchers.events.Load(), watchers.Failure()
	s, err := d.finish()
	watchers.Close()
	if s.Failure == nil {
		s.Failure = failure
	}
	s.Extras = append(s.Extras,
		Extra{Name: "until all have caught up", Unit: "s", Value: took.Seconds()},
		Extra{Name: "events delivered of those due", Unit: "%", Value: 100 * float64(events) / all},
		Extra{Name: "server CPU per event", Unit: "µs", Value: per(float64(s.Usage.CPU.Nanoseconds())/1000, float64(events))})
	return s, err
}

// stalledWatchers: 1,000 watchers of one key read nothing after they are created, while the
// background stream puts that key.
func stalledWatchers(b *Bench) (Sample, error) {
	d, err := b.startBadDay("stalled", 1)
	if err != nil {
		return Sample{}, err
	}
	watchers, err := StartWatchers(b.Endpoints, WatchShape{
		Watches: stalledWatches, Streams: stalledWatches, Conns: stalledWatches / 10, Stalled: true,
		Request: func(int) *pb.WatchCreateRequest { return &pb.WatchCreateRequest{Key: key("stalled", 0)} },
	})
	if err != nil {
		return Sample{}, err
	}
	time.Sleep(badDayFor)
	s, err := d.finish()
	if err != nil {
		return s, err
	}
	time.Sleep(2 * time.Second)
	with, err := b.idleCPU()
	if err != nil {
		return s, err
	}
	watchers.Close()
	time.Sleep(2 * time.Second)
	without, err := b.idleCPU()
	s.Extras = append(s.Extras,
		Extra{Name: "CPU after the puts, watchers stalled", Unit: "ms/s", Value: with},
		Extra{Name: "CPU after the watchers have gone", Unit: "ms/s", Value: without},
		Extra{Name: "CPU after the puts by without watchers", Unit: "times", Value: per(with, without)})
	return s, err
}

// idleCPU is what the servers use while nobody asks for anything, in milliseconds per second. What
// just-in-time compilers have left to do does not count.
func (b *Bench) idleCPU() (float64, error) {
	meter, err := b.StartMeter()
	if err != nil {
		return 0, err
	}
	time.Sleep(5 * time.Second)
	s, err := meter.Stop()
	return per((s.Usage.CPU-s.Usage.Compiling).Seconds()*1000, s.Elapsed.Seconds()), err
}

// Revision is the store's current one.
func (b *Bench) Revision() (int64, error) {
	conn, err := dial(b.Endpoints[0])
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	reply, err := pb.NewKVClient(conn).Range(context.Background(), &pb.RangeRequest{Key: key("none", 0)})
	if err != nil {
		return 0, fmt.Errorf("reading the revision: %w", err)
	}
	return reply.Header.Revision, nil
}
