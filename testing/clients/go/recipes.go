package main

import (
	"context"
	"fmt"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// recipes tries what the package concurrency has, while no member dies.
func recipes(ctx context.Context, c *clientv3.Client) {
	one := got(concurrency.NewSession(c, concurrency.WithTTL(sessionTTL)))
	two := got(concurrency.NewSession(c, concurrency.WithTTL(sessionTTL)))
	mutexes(ctx, c, one, two)
	elections(ctx, one, two)
	transactionalMemory(ctx, c)
	must(one.Close())
	two.Orphan()
	check("an orphan's lease lives on", true, got(c.TimeToLive(ctx, two.Lease())).TTL > 0)
	got(c.Revoke(ctx, two.Lease()))
}

func mutexes(ctx context.Context, c *clientv3.Client, one, two *concurrency.Session) {
	held, waiting := concurrency.NewMutex(one, "recipe/mutex"), concurrency.NewMutex(two, "recipe/mutex")
	must(held.Lock(ctx))
	check("the key of a mutex", fmt.Sprintf("recipe/mutex/%x", one.Lease()), held.Key())
	check("a mutex that is taken", concurrency.ErrLocked, waiting.TryLock(ctx))
	locked := make(chan error, 1)
	go func() { locked <- waiting.Lock(ctx) }()
	check("both stand in line", true, reaches(func() bool {
		return got(c.Get(ctx, "recipe/mutex/", clientv3.WithPrefix(), clientv3.WithCountOnly())).Count == 2
	}))
	check("the second waits", 0, len(locked))
	owns := func(m *concurrency.Mutex) bool { return got(c.Txn(ctx).If(m.IsOwner()).Commit()).Succeeded }
	check("its owner", true, owns(held))
	must(held.Unlock(ctx))
	check("then the second has it", nil, <-locked)
	must(waiting.Unlock(ctx))
	check("free again", nil, held.TryLock(ctx))
	must(held.Unlock(ctx))
	check("unlocked twice", concurrency.ErrLockReleased, held.Unlock(ctx))

	// A lock goes with its session.
	short := got(concurrency.NewSession(c, concurrency.WithTTL(9))) // which learns of it in a third of that
	lost := concurrency.NewMutex(short, "recipe/mutex")
	must(lost.Lock(ctx))
	got(c.Revoke(ctx, short.Lease()))
	<-short.Done()
	check("the lock of a session that is over", nil, waiting.Lock(ctx))
	must(waiting.Unlock(ctx))

	count, lockers := 0, sync.WaitGroup{}
	for _, session := range []*concurrency.Session{one, two} {
		lockers.Add(1)
		go func() {
			defer lockers.Done()
			locker := concurrency.NewLocker(session, "recipe/locker")
			for range 5 {
				locker.Lock()
				count++
				locker.Unlock()
			}
		}()
	}
	lockers.Wait()
	check("counted under a locker", 10, count)
}

func elections(ctx context.Context, one, two *concurrency.Session) {
	first, second := concurrency.NewElection(one, "recipe/election"), concurrency.NewElection(two, "recipe/election")
	check("nobody leads", concurrency.ErrElectionNoLeader, failure(first.Leader(ctx)))
	observing, cancel := context.WithCancel(ctx)
	defer cancel()
	terms := second.Observe(observing)
	must(first.Campaign(ctx, "a"))
	check("elected", "a", string(got(second.Leader(ctx)).Kvs[0].Value))
	check("observed", "a", string((<-terms).Kvs[0].Value))
	must(first.Proclaim(ctx, "a2"))
	check("the proclamation is observed", "a2", string((<-terms).Kvs[0].Value))
	won := make(chan error, 1)
	go func() { won <- second.Campaign(ctx, "b") }()
	resumed := concurrency.ResumeElection(one, "recipe/election", first.Key(), first.Rev())
	must(resumed.Proclaim(ctx, "a3"))
	check("a resumed election", "a3", string((<-terms).Kvs[0].Value))
	must(first.Resign(ctx))
	check("the second is elected", nil, <-won)
	check("its term is observed", "b", string((<-terms).Kvs[0].Value))
	check("proclaimed without leading", concurrency.ErrElectionNotLeader, first.Proclaim(ctx, "late"))
	must(second.Resign(ctx))
}

// transactionalMemory moves amounts between accounts from several goroutines: none is lost or made.
func transactionalMemory(ctx context.Context, c *clientv3.Client) {
	number := func(s concurrency.STM, key string) (n int) { fmt.Sscan(s.Get(key), &n); return n }
	for _, it := range []struct {
		name      string
		isolation concurrency.Isolation
	}{
		{"serializable snapshot", concurrency.SerializableSnapshot},
		{"serializable", concurrency.Serializable},
		{"repeatable reads", concurrency.RepeatableReads},
	} {
		for i := range 3 {
			got(c.Put(ctx, fmt.Sprint("stm/account/", i), "100"))
		}
		var movers sync.WaitGroup
		for i := range 3 {
			movers.Add(1)
			go func() {
				defer movers.Done()
				from, to := fmt.Sprint("stm/account/", i), fmt.Sprint("stm/account/", (i+1)%3)
				for amount := 1; amount <= 5; amount++ {
					got(concurrency.NewSTM(c, func(s concurrency.STM) error {
						left, right := number(s, from), number(s, to)
						s.Put(from, fmt.Sprint(left-amount))
						s.Put(to, fmt.Sprint(right+amount))
						return nil
					}, concurrency.WithIsolation(it.isolation), concurrency.WithPrefetch(from, to)))
				}
			}()
		}
		movers.Wait()
		check("STM, "+it.name, "stm/account/0=100 stm/account/1=100 stm/account/2=100 ",
			pairs(got(c.Get(ctx, "stm/account/", clientv3.WithPrefix()))))
	}
	got(concurrency.NewSTM(c, func(s concurrency.STM) error {
		if s.Rev("stm/account/0") == 0 {
			return fmt.Errorf("no revision")
		}
		s.Del("stm/account/0")
		return nil
	}, concurrency.WithIsolation(concurrency.ReadCommitted)))
	check("STM, read committed, deletes", 2, got(c.Get(ctx, "stm/account/", clientv3.WithPrefix())).Count)
	_, err := concurrency.NewSTM(c, func(s concurrency.STM) error { s.Put("stm/never", "1"); return fmt.Errorf("given up") })
	check("STM, given up", "given up 0", fmt.Sprint(err, " ", got(c.Get(ctx, "stm/never")).Count))
}
