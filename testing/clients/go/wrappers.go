package main

import (
	"context"
	"fmt"
	"sort"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/leasing"
	"go.etcd.io/etcd/client/v3/mirror"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.etcd.io/etcd/client/v3/ordering"
)

// wrappers tries the packages that come with the client; the two clients share no connection.
func wrappers(parent context.Context, c, other *clientv3.Client) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	defer other.Close()

	inside := namespace.NewKV(c.KV, "ns/")
	watching := namespace.NewWatcher(c.Watcher, "ns/").Watch(ctx, "a", clientv3.WithCreatedNotify())
	<-watching
	got(inside.Put(ctx, "a", "1"))
	check("namespace, from inside", "a=1 ", pairs(got(inside.Get(ctx, "", clientv3.WithPrefix()))))
	check("namespace, from outside", "ns/a=1 ", pairs(got(c.Get(ctx, "ns/", clientv3.WithPrefix()))))
	check("namespace, watched", "a", string(take(watching, 1)[0].Kv.Key))

	cached, stop, err := leasing.NewKV(c, "leasing/")
	must(err)
	got(c.Put(ctx, "cached", "1"))
	got(cached.Get(ctx, "cached"))
	check("leasing: the key is ours", 1, got(c.Get(ctx, "leasing/cached")).Count)
	rival, stopRival, err := leasing.NewKV(other, "leasing/")
	must(err)
	got(rival.Put(ctx, "cached", "2"))
	check("leasing: another writer is seen", "cached=2 ", pairs(got(cached.Get(ctx, "cached"))))
	committed := got(cached.Txn(ctx).If(clientv3.Compare(clientv3.Value("cached"), "=", "2")).Then(clientv3.OpPut("cached", "3")).Commit())
	check("leasing: transaction", true, committed.Succeeded)
	stopRival()
	stop()

	violations := 0
	ordered := ordering.NewKV(c.KV, func(clientv3.Op, clientv3.OpResponse, int64) error { violations++; return nil })
	for i := range 20 {
		got(ordered.Put(ctx, "ordered", fmt.Sprint(i)))
		got(ordered.Get(ctx, "ordered"))
	}
	check("ordering: never back", 0, violations)

	got(c.Put(ctx, "mirror/a", "1"))
	got(c.Put(ctx, "mirror/b", "2"))
	syncer := mirror.NewSyncer(c, "mirror/", 0)
	base, errs := syncer.SyncBase(ctx)
	var keys []string
	for answer := range base {
		for _, kv := range answer.Kvs {
			keys = append(keys, string(kv.Key))
		}
	}
	must(<-errs)
	sort.Strings(keys)
	check("mirror: the base", "[mirror/a mirror/b]", fmt.Sprint(keys))
	updates := syncer.SyncUpdates(ctx)
	got(c.Put(ctx, "mirror/c", "3"))
	check("mirror: updates", "mirror/c", string(take(updates, 1)[0].Kv.Key))
}
