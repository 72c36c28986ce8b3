package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const (
	sessionTTL = 300 // seconds
	workers    = 2
	pause      = 20 * time.Millisecond // between the steps: this is no load test
)

// leaseTTL, in seconds, is that of the lease whose renewals are counted, of which one comes in a third
// of it. Elections take far less, but a busy machine may be slow.
var leaseTTL = func() int64 {
	if ttl, err := strconv.ParseInt(os.Getenv("CLIENTS_LEASE_TTL"), 10, 64); err == nil {
		return ttl
	}
	return 60
}()

// activity is one thing that goes on while the leader is killed; it ends once stop is closed.
type activity struct {
	name  string
	steps atomic.Int64
	done  chan struct{}
}

type failover struct {
	client     *clientv3.Client
	stop       chan struct{}
	activities []*activity

	start   int64                 // first revision that is watched
	events  []string              // what the watch has said, in its order
	seen    atomic.Int64          // newest revision in it
	acked   map[string]int64      // revision of each acknowledged put
	lease   clientv3.LeaseID      // kept alive all the time
	leader  *concurrency.Election // held all the time
	session *concurrency.Session

	locked, counted atomic.Int64 // increments under the mutex, and by STM
}

func startFailover(endpoints string, leader uint64) *failover {
	ctx := context.Background()
	f := &failover{client: connect(endpoints), stop: make(chan struct{}), acked: map[string]int64{}}
	f.start = got(f.client.Put(ctx, "fail/start", "")).Header.Revision + 1
	go f.watch(f.throughMember(endpoints, leader))
	f.run("puts", f.puts)
	f.lease = got(f.client.Grant(ctx, leaseTTL)).ID
	got(f.client.Put(ctx, "leased", "1", clientv3.WithLease(f.lease)))
	alive := got(f.client.KeepAlive(ctx, f.lease))
	f.run("keep-alives", func(a *activity) {
		for f.running() {
			if answer, open := <-alive; !open {
				check("the keep-alive channel stays open", true, false)
				return
			} else if answer.TTL == leaseTTL {
				a.steps.Add(1)
			}
		}
	})
	f.session = got(concurrency.NewSession(f.client, concurrency.WithTTL(sessionTTL)))
	f.leader = concurrency.NewElection(f.session, "election")
	must(f.leader.Campaign(ctx, "first"))
	f.run("proclamations", func(a *activity) {
		for ; f.running(); time.Sleep(pause) {
			eventually("proclaim", func(ctx context.Context) error {
				return f.leader.Proclaim(ctx, fmt.Sprint("first ", a.steps.Load()))
			})
			a.steps.Add(1)
		}
	})
	for range workers {
		f.run("locks", f.locks)
		f.run("stm", f.increments)
	}
	return f
}

func (f *failover) run(name string, body func(*activity)) {
	a := &activity{name: name, done: make(chan struct{})}
	f.activities = append(f.activities, a)
	go func() { defer close(a.done); body(a) }()
}

func (f *failover) running() bool {
	select {
	case <-f.stop:
		return false
	default:
		return true
	}
}

// awaitProgress waits until each activity has taken some more steps; of keep-alives, which are slow,
// until as many more have come, and one at all.
func (f *failover) awaitProgress(when string, renewals int64) {
	for _, a := range f.activities {
		target := a.steps.Load() + 3
		if a.name == "keep-alives" {
			target = max(1, a.steps.Load()+renewals)
		}
		check(a.name+" go on "+when, true, reaches(func() bool { return a.steps.Load() >= target }))
	}
}

// puts writes one key after the other. An attempt that failed may have been applied, so a value can
// come in several revisions; an acknowledged one has exactly the revision of its answer.
func (f *failover) puts(a *activity) {
	for i := 0; f.running(); i++ {
		time.Sleep(pause)
		key := fmt.Sprintf("fail/%06d", i)
		eventually("put", func(ctx context.Context) error {
			answer, err := f.client.Put(ctx, key, key)
			if err == nil {
				f.acked[key] = answer.Header.Revision
			}
			return err
		})
		a.steps.Add(1)
	}
}

func line(e *clientv3.Event) string {
	return fmt.Sprintf("%d %v %s=%s", e.Kv.ModRevision, e.Type, e.Kv.Key, e.Kv.Value)
}

// throughMember opens the watch through the member that will die, or its death would mostly go unseen:
// a fresh client each time, until one happens to be there.
func (f *failover) throughMember(endpoints string, leader uint64) clientv3.WatchChan {
	for range 100 {
		client := connect(endpoints)
		events := client.Watch(context.Background(), "fail/", clientv3.WithPrefix(), clientv3.WithRev(f.start), clientv3.WithCreatedNotify())
		if created := <-events; created.Created && created.Header.MemberId == leader {
			return events
		}
		client.Close()
	}
	must(fmt.Errorf("no watch is served by %x", leader))
	return nil
}

// watch reads from one watch call for the whole time: the client resumes it by itself.
func (f *failover) watch(answers clientv3.WatchChan) {
	for answer := range answers {
		for _, e := range answer.Events {
			f.events = append(f.events, line(e))
			f.seen.Store(e.Kv.ModRevision)
		}
	}
}

// locks counts under a mutex with a get and a put that guard nothing by themselves.
func (f *failover) locks(a *activity) {
	session := got(concurrency.NewSession(f.client, concurrency.WithTTL(sessionTTL)))
	defer session.Close()
	for f.running() {
		mutex := concurrency.NewMutex(session, "mutex")
		eventually("lock", mutex.Lock)
		value := 0
		eventually("read", func(ctx context.Context) error {
			answer, err := f.client.Get(ctx, "locked")
			if err == nil && answer.Count > 0 {
				fmt.Sscan(string(answer.Kvs[0].Value), &value)
			}
			return err
		})
		eventually("write", func(ctx context.Context) error {
			answer, err := f.client.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("locked", fmt.Sprint(value+1))).Commit()
			if err == nil && !answer.Succeeded {
				must(fmt.Errorf("the mutex was lost"))
			}
			return err
		})
		f.locked.Add(1)
		eventually("unlock", func(ctx context.Context) error {
			if err := mutex.Unlock(ctx); err != nil && err != concurrency.ErrLockReleased {
				return err
			}
			return nil
		})
		a.steps.Add(1)
		time.Sleep(pause)
	}
}

// increments counts by STM. The marker tells whether an attempt of unknown outcome was applied.
func (f *failover) increments(a *activity) {
	for i := 0; f.running(); i++ {
		marker := fmt.Sprintf("stm/%p/%d", a, i)
		eventually("stm", func(ctx context.Context) error {
			_, err := concurrency.NewSTM(f.client, func(s concurrency.STM) error {
				if s.Get(marker) != "" {
					return nil
				}
				value := 0
				fmt.Sscan(s.Get("counter"), &value)
				s.Put("counter", fmt.Sprint(value+1))
				s.Put(marker, "done")
				return nil
			}, concurrency.WithAbortContext(ctx), concurrency.WithIsolation(concurrency.SerializableSnapshot))
			return err
		})
		f.counted.Add(1)
		a.steps.Add(1)
		time.Sleep(pause)
	}
}

// history is what a watch says that never had to be resumed.
func (f *failover) history(last int64) (lines []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for answer := range f.client.Watch(ctx, "fail/", clientv3.WithPrefix(), clientv3.WithRev(f.start)) {
		for _, e := range answer.Events {
			lines = append(lines, line(e))
			if e.Kv.ModRevision == last {
				return lines
			}
		}
	}
	return append(lines, "history ended early")
}

func difference(expected, found []string) string {
	for i := range max(len(expected), len(found)) {
		e, f := "nothing", "nothing"
		if i < len(expected) {
			e = expected[i]
		}
		if i < len(found) {
			f = found[i]
		}
		if e != f {
			return fmt.Sprintf("event %d: %s / %s", i, e, f)
		}
	}
	return "same"
}

func (f *failover) finish() {
	ctx := context.Background()
	close(f.stop)
	for _, a := range f.activities {
		<-a.done
	}
	last := got(f.client.Put(ctx, "fail/end", "")).Header.Revision
	reaches(func() bool { return f.seen.Load() >= last })
	check("the watch reaches the end", last, f.seen.Load())
	check("the resumed watch saw all of history, once, in order", "same", difference(f.history(last), f.events))
	missing := 0
	all := strings.Join(f.events, "\n") + "\n"
	for key, revision := range f.acked {
		if !strings.Contains(all, fmt.Sprintf("%d PUT %s=%s\n", revision, key, key)) {
			missing++
		}
	}
	check("every acknowledged put was seen", "0 missing", fmt.Sprint(missing, " missing"))
	number := func(key string) string { return string(got(f.client.Get(ctx, key)).Kvs[0].Value) }
	check("increments under the mutex", f.locked.Load(), number("locked"))
	check("increments by STM", f.counted.Load(), number("counter"))
	check("the lease lives", 1, got(f.client.Get(ctx, "leased")).Count)
	f.handOver(ctx)
	f.session.Close()
}

// handOver lets a second candidate win once the first resigns.
func (f *failover) handOver(ctx context.Context) {
	session := got(concurrency.NewSession(f.client, concurrency.WithTTL(sessionTTL)))
	defer session.Close()
	second := concurrency.NewElection(session, "election")
	observing, cancel := context.WithCancel(ctx)
	defer cancel()
	terms := second.Observe(observing)
	before := <-terms
	check("the leader of before is still observed", true, strings.HasPrefix(string(before.Kvs[0].Value), "first "))
	won := make(chan error, 1)
	go func() { won <- second.Campaign(ctx, "second") }()
	must(f.leader.Resign(ctx))
	check("the second candidate wins", nil, <-won)
	for answer := range terms {
		if string(answer.Kvs[0].Value) == "second" {
			break
		}
	}
	check("its term is read", "second", string(got(second.Leader(ctx)).Kvs[0].Value))
}
