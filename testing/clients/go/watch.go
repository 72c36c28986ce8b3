package main

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// take reads events from the channel until there are n of them.
func take(ch clientv3.WatchChan, n int) (events []*clientv3.Event) {
	late := time.After(patience)
	for len(events) < n {
		select {
		case answer, open := <-ch:
			if !open || answer.Err() != nil {
				must(fmt.Errorf("the watch ended: %v", answer.Err()))
			}
			events = append(events, answer.Events...)
		case <-late:
			must(fmt.Errorf("%d of %d events after %v", len(events), n, patience))
		}
	}
	return events
}

func watches(parent context.Context, c *clientv3.Client) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	first := got(c.Put(ctx, "watch/a", "1")).Header.Revision
	got(c.Put(ctx, "watch/a", "2"))
	show := func(events []*clientv3.Event) (s string) {
		for _, e := range events {
			s += fmt.Sprintf("%v %s=%s", e.Type, e.Kv.Key, e.Kv.Value)
			if e.PrevKv != nil {
				s += fmt.Sprintf(" was %s", e.PrevKv.Value)
			}
			s += "; "
		}
		return s
	}
	history := c.Watch(ctx, "watch/", clientv3.WithPrefix(), clientv3.WithRev(first), clientv3.WithPrevKV())
	only := c.Watch(ctx, "watch/", clientv3.WithPrefix(), clientv3.WithRev(first), clientv3.WithFilterPut())
	check("history", "PUT watch/a=1; PUT watch/a=2 was 1; ", show(take(history, 2)))
	gone := got(c.Delete(ctx, "watch/a"))
	check("then what is new", "DELETE watch/a= was 2; ", show(take(history, 1)))
	check("no puts", "DELETE watch/a=; ", show(take(only, 1)))

	created := c.Watch(clientv3.WithRequireLeader(ctx), "watch/b", clientv3.WithCreatedNotify())
	answer := <-created
	check("created notice", true, answer.Created)
	future := c.Watch(ctx, "watch/c", clientv3.WithRev(gone.Header.Revision+2))
	got(c.Put(ctx, "watch/c", "too early"))
	got(c.Put(ctx, "watch/c", "in time"))
	check("a watch from the future", "PUT watch/c=in time; ", show(take(future, 1)))

	var big []clientv3.Op
	for i := range 40 {
		big = append(big, clientv3.OpPut(fmt.Sprintf("watch/big/%02d", i), string(make([]byte, 30_000))))
	}
	whole := got(c.Txn(ctx).Then(big...).Commit())
	pieces := take(c.Watch(ctx, "watch/big/", clientv3.WithPrefix(), clientv3.WithRev(whole.Header.Revision), clientv3.WithFragment()), 40)
	check("fragments", 40, len(pieces))

	must(c.RequestProgress(clientv3.WithRequireLeader(ctx)))
	notice := <-created
	check("progress on request", true, notice.IsProgressNotify() && notice.Header.Revision >= whole.Header.Revision)

	got(c.Compact(ctx, gone.Header.Revision))
	behind := <-c.Watch(ctx, "watch/a", clientv3.WithRev(first))
	check("a compacted start", rpctypes.ErrCompacted, behind.Err())
	check("where it could start", gone.Header.Revision, behind.CompactRevision)
}

func leases(ctx context.Context, c *clientv3.Client) {
	grant := got(c.Grant(ctx, 60))
	got(c.Put(ctx, "lease/a", "1", clientv3.WithLease(grant.ID)))
	got(c.Put(ctx, "lease/a", "2", clientv3.WithIgnoreLease()))
	left := got(c.TimeToLive(ctx, grant.ID, clientv3.WithAttachedKeys()))
	check("time to live", "60 true lease/a", fmt.Sprintf("%d %v %s", left.GrantedTTL, left.TTL > 30, left.Keys[0]))
	once := got(c.KeepAliveOnce(ctx, grant.ID))
	check("keep alive once", 60, once.TTL)
	found := false
	for _, l := range got(c.Leases(ctx)).Leases {
		found = found || l.ID == grant.ID
	}
	check("listed", true, found)
	got(c.Revoke(ctx, grant.ID))
	check("revoked with its keys", 0, got(c.Get(ctx, "lease/a")).Count)
	check("a lease that is gone", rpctypes.ErrLeaseNotFound, failure(c.Put(ctx, "lease/b", "1", clientv3.WithLease(grant.ID))))
	check("its time to live", -1, got(c.TimeToLive(ctx, grant.ID)).TTL)
	check("keep a lease alive that is gone", rpctypes.ErrLeaseNotFound, failure(c.KeepAliveOnce(ctx, grant.ID)))

	short := got(c.Grant(ctx, 1))
	put := got(c.Put(ctx, "lease/short", "1", clientv3.WithLease(short.ID)))
	started := time.Now()
	event := take(c.Watch(ctx, "lease/short", clientv3.WithRev(put.Header.Revision+1)), 1)[0]
	check("expires", "DELETE", event.Type)
	check("not too early", true, time.Since(started) > 800*time.Millisecond)
}
