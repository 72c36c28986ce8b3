package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// members asks them one by one: what they are, whether they follow one leader and hold the same.
type members struct {
	client    *clientv3.Client
	endpoints []string
}

func (m *members) describe(ctx context.Context) {
	var names []string
	for _, member := range got(m.client.MemberList(ctx)).Members {
		names = append(names, member.Name)
	}
	sort.Strings(names)
	check("members", "[m1 m2 m3]", names)
	check("members, serializable", 3, len(got(m.client.MemberList(ctx, clientv3.WithSerializable())).Members))
	must(m.client.Sync(ctx))
	check("synchronised endpoints", 3, len(m.client.Endpoints()))
	check("no alarm", 0, len(got(m.client.AlarmList(ctx)).Alarms))
	got(m.client.AlarmDisarm(ctx, &clientv3.AlarmMember{}))
	m.agree(ctx)
}

// statuses are those of the members that answer.
func (m *members) statuses() (all []*clientv3.StatusResponse) {
	for _, endpoint := range m.endpoints {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if answer, err := m.client.Status(ctx, endpoint); err == nil && len(answer.Errors) == 0 {
			all = append(all, answer)
		}
		cancel()
	}
	return all
}

// term is the newest that a member knows of.
func (m *members) term() (newest uint64) {
	for _, s := range m.statuses() {
		newest = max(newest, s.RaftTerm)
	}
	return newest
}

func (m *members) elected(before uint64) {
	check("another leader was elected", true, reaches(func() bool {
		for _, s := range m.statuses() {
			if s.RaftTerm > before && s.Leader != 0 {
				return true
			}
		}
		return false
	}))
}

// agree checks that all of them serve, in one term, under one leader, and have the same history.
func (m *members) agree(ctx context.Context) {
	check("all members follow one leader", true, reaches(func() bool {
		all := m.statuses()
		for _, s := range all {
			if s.Leader == 0 || s.Leader != all[0].Leader || s.RaftTerm != all[0].RaftTerm {
				return false
			}
		}
		return len(all) == len(m.endpoints)
	}))
	hashes := map[string]bool{}
	revision := got(m.client.Get(ctx, "x")).Header.Revision
	for _, endpoint := range m.endpoints {
		// A member that lags does not know the revision yet.
		eventually("hash", func(ctx context.Context) error {
			answer, err := m.client.HashKV(ctx, endpoint, revision)
			if err == nil {
				hashes[fmt.Sprint(answer.Hash, answer.CompactRevision)] = true
			}
			return err
		})
	}
	check("hashes agree", 1, len(hashes))
}

// refused are the calls that have no answer yet: the server must say exactly that.
func refused(ctx context.Context, c *clientv3.Client) {
	snapshot := func() error {
		_, err := c.SnapshotWithVersion(ctx)
		return err
	}
	for _, it := range []struct {
		name string
		err  error
	}{
		{"move-leader", failure(c.MoveLeader(ctx, 1))},
		{"defragment", failure(c.Defragment(ctx, c.Endpoints()[0]))},
		{"snapshot", snapshot()},
		{"downgrade", failure(c.Downgrade(ctx, clientv3.DowngradeValidate, "3.6.0"))},
		{"member add", failure(c.MemberAdd(ctx, []string{"http://127.0.0.1:1"}))},
		{"member remove", failure(c.MemberRemove(ctx, 1))},
		{"auth status", failure(c.AuthStatus(ctx))},
	} {
		check("not there yet: "+it.name, codes.Unimplemented, status.Code(it.err))
	}
}
