package main

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// pairs shows keys and values in the order of the answer.
func pairs(r *clientv3.GetResponse) (s string) {
	for _, kv := range r.Kvs {
		s += fmt.Sprintf("%s=%s ", kv.Key, kv.Value)
	}
	return s
}

// failure is the error of an answer that should not come.
func failure[T any](_ T, err error) error { return err }

func keyValue(ctx context.Context, c *clientv3.Client) {
	first := got(c.Put(ctx, "kv/a", "3"))
	got(c.Put(ctx, "kv/b", "1"))
	got(c.Put(ctx, "kv/c", "2"))
	changed := got(c.Put(ctx, "kv/a", "4", clientv3.WithPrevKV()))
	check("put returns the previous value", "3", string(changed.PrevKv.Value))
	check("revisions rise by one", first.Header.Revision+3, changed.Header.Revision)

	get := func(name, expected string, options ...clientv3.OpOption) *clientv3.GetResponse {
		answer := got(c.Get(ctx, "kv/", options...))
		check(name, expected, pairs(answer))
		return answer
	}
	all := clientv3.WithPrefix()
	get("prefix", "kv/a=4 kv/b=1 kv/c=2 ", all)
	page := get("limit", "kv/a=4 ", all, clientv3.WithLimit(1))
	check("count and more", "3 true", fmt.Sprint(page.Count, page.More))
	get("range", "kv/a=4 kv/b=1 ", clientv3.WithRange("kv/c"))
	get("descending by key", "kv/c=2 kv/b=1 kv/a=4 ", all, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	get("by value", "kv/b=1 kv/c=2 kv/a=4 ", all, clientv3.WithSort(clientv3.SortByValue, clientv3.SortAscend))
	get("by version", "kv/a=4 ", all, clientv3.WithSort(clientv3.SortByVersion, clientv3.SortDescend), clientv3.WithLimit(1))
	get("by create revision", "kv/c=2 ", append(clientv3.WithLastCreate(), all)...)
	get("by modification", "kv/a=4 ", append(clientv3.WithLastRev(), all)...)
	get("at a revision", "kv/a=3 ", all, clientv3.WithRev(first.Header.Revision))
	get("serializable", "kv/a=4 kv/b=1 kv/c=2 ", all, clientv3.WithSerializable())
	get("keys only", "kv/a= kv/b= kv/c= ", all, clientv3.WithKeysOnly())
	check("count only", 3, got(c.Get(ctx, "kv/", all, clientv3.WithCountOnly())).Count)
	get("modified at least", "kv/a=4 ", all, clientv3.WithMinModRev(changed.Header.Revision))
	get("modified at most", "kv/b=1 ", all, clientv3.WithMaxModRev(first.Header.Revision+1))
	get("created at least", "kv/c=2 ", all, clientv3.WithMinCreateRev(first.Header.Revision+2))
	get("created at most", "kv/a=4 ", all, clientv3.WithMaxCreateRev(first.Header.Revision))
	check("from key", true, got(c.Get(ctx, "kv/a", clientv3.WithFromKey())).Count >= 3)

	check("streamed", "kv/a=4 kv/b=1 kv/c=2 ", pairs(got(clientv3.GetStreamToGetResponse(got(c.GetStream(ctx, "kv/", all))))))

	got(c.Put(ctx, "kv/b", "", clientv3.WithIgnoreValue()))
	one := got(c.Get(ctx, "kv/b")).Kvs[0]
	check("ignore value", "1 2", fmt.Sprintf("%s %d", one.Value, one.Version))
	check("ignore value of nothing", rpctypes.ErrKeyNotFound, failure(c.Put(ctx, "kv/none", "", clientv3.WithIgnoreValue())))
	check("no key", rpctypes.ErrEmptyKey, failure(c.Put(ctx, "", "x")))
	check("a future revision", rpctypes.ErrFutureRev, failure(c.Get(ctx, "kv/a", clientv3.WithRev(1<<40))))

	gone := got(c.Delete(ctx, "kv/", clientv3.WithRange("kv/c"), clientv3.WithPrevKV()))
	check("delete returns what was there", "2 4 1", fmt.Sprintf("%d %s %s", gone.Deleted, gone.PrevKvs[0].Value, gone.PrevKvs[1].Value))
	get("what is left", "kv/c=2 ", all)
	got(c.Put(ctx, "\xff\xff", "1"))
	check("delete from a key", 1, got(c.Delete(ctx, "\xff", clientv3.WithFromKey())).Deleted)
	got(c.Compact(ctx, gone.Header.Revision, clientv3.WithCompactPhysical()))
	check("a compacted revision", rpctypes.ErrCompacted, failure(c.Get(ctx, "kv/a", clientv3.WithRev(first.Header.Revision))))
	check("compacted twice", rpctypes.ErrCompacted, failure(c.Compact(ctx, gone.Header.Revision)))
}

func transactions(ctx context.Context, c *clientv3.Client) {
	key := "txn/a"
	put := got(c.Put(ctx, key, "m"))
	revision := put.Header.Revision
	for _, it := range []struct {
		name string
		cmp  clientv3.Cmp
		hold bool
	}{
		{"value equal", clientv3.Compare(clientv3.Value(key), "=", "m"), true},
		{"value less", clientv3.Compare(clientv3.Value(key), "<", "n"), true},
		{"value greater", clientv3.Compare(clientv3.Value(key), ">", "m"), false},
		{"version", clientv3.Compare(clientv3.Version(key), "=", 1), true},
		{"version not equal", clientv3.Compare(clientv3.Version(key), "!=", 1), false},
		{"create revision", clientv3.Compare(clientv3.CreateRevision(key), "=", revision), true},
		{"mod revision", clientv3.Compare(clientv3.ModRevision(key), "<", revision+1), true},
		{"lease", clientv3.Compare(clientv3.LeaseValue(key), "=", 0), true},
		{"a key that is not there", clientv3.Compare(clientv3.CreateRevision("txn/none"), "=", 0), true},
		{"a prefix", clientv3.Compare(clientv3.Value("txn/"), "=", "m").WithPrefix(), true},
		{"a range", clientv3.Compare(clientv3.Version("txn/"), ">", 1).WithRange("txn/z"), false},
	} {
		answer := got(c.Txn(ctx).If(it.cmp).Then(clientv3.OpGet(key)).Else(clientv3.OpGet(key, clientv3.WithCountOnly())).Commit())
		check("compare "+it.name, it.hold, answer.Succeeded)
	}
	nested := clientv3.OpTxn(
		[]clientv3.Cmp{clientv3.Compare(clientv3.Value("txn/b"), "=", "1")},
		[]clientv3.Op{clientv3.OpDelete("txn/b", clientv3.WithPrevKV())},
		[]clientv3.Op{clientv3.OpPut("txn/c", "else")})
	got(c.Put(ctx, "txn/b", "1"))
	answer := got(c.Txn(ctx).Then(clientv3.OpPut("txn/d", "1"), nested, clientv3.OpGet("txn/", clientv3.WithPrefix())).Commit())
	check("nested transaction", "1", fmt.Sprintf("%s", answer.Responses[1].GetResponseTxn().Responses[0].GetResponseDeleteRange().PrevKvs[0].Value))
	read := answer.Responses[2].GetResponseRange()
	check("a transaction reads what it wrote", "2 txn/a txn/d", fmt.Sprintf("%d %s %s", len(read.Kvs), read.Kvs[0].Key, read.Kvs[1].Key))
	check("one revision for all of it", answer.Header.Revision, read.Kvs[1].ModRevision)
	check("the same key twice", rpctypes.ErrDuplicateKey, failure(c.Txn(ctx).Then(clientv3.OpPut("txn/x", "1"), clientv3.OpPut("txn/x", "2")).Commit()))
	lease := got(c.Grant(ctx, 60)).ID
	leased := got(c.Txn(ctx).If(clientv3.Compare(clientv3.Version("txn/l"), ">", 0)).Then(clientv3.OpGet(key)).
		Else(clientv3.OpPut("txn/l", "1", clientv3.WithLease(lease)), clientv3.OpGet("txn/l")).Commit())
	check("else, with a lease", fmt.Sprint(false, int64(lease)), fmt.Sprint(leased.Succeeded, leased.Responses[1].GetResponseRange().Kvs[0].Lease))
	// Without an operation it would be answered from whatever the member has applied (KV-95).
	check("a lease in a compare", true, got(c.Txn(ctx).If(clientv3.Compare(clientv3.LeaseValue("txn/l"), "=", lease)).Then(clientv3.OpGet("txn/l")).Commit()).Succeeded)
	got(c.Revoke(ctx, lease))
	op := got(c.Do(ctx, clientv3.OpPut("txn/e", "1")))
	check("Do", true, op.Put() != nil)
}
