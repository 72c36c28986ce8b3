// A raft peer made of etcd's own rafthttp transport. It prints what it receives and sends what
// its standard input asks for, one line each, so that a test can compare both with what the
// other side saw.
//
// Input:
//
//	append TERM PREVTERM PREVINDEX COUNT SIZE COMMIT
//	heartbeat TERM COMMIT CONTEXT
//	readindex CONTEXT
//	snapshot TERM INDEX SIZE
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"go.uber.org/zap"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"
	"go.etcd.io/etcd/server/v3/etcdserver/api/snap"
	stats "go.etcd.io/etcd/server/v3/etcdserver/api/v2stats"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

var output sync.Mutex

func say(format string, args ...any) {
	output.Lock()
	defer output.Unlock()
	fmt.Printf(format+"\n", args...)
}

type node struct{ snapshots *snap.Snapshotter }

func (n *node) Process(_ context.Context, m *raftpb.Message) error {
	if m.GetType() == raftpb.MsgSnap {
		index := m.GetSnapshot().GetMetadata().GetIndex()
		path, err := n.snapshots.DBFilePath(index)
		if err != nil {
			say("ERROR %v", err)
			return nil
		}
		contents, _ := os.ReadFile(path)
		say("SNAPSHOT term=%d index=%d snapterm=%d voters=%v bytes=%d sha256=%x", m.GetTerm(), index,
			m.GetSnapshot().GetMetadata().GetTerm(), m.GetSnapshot().GetMetadata().GetConfState().GetVoters(),
			len(contents), sha256.Sum256(contents))
		return nil
	}
	size, first := 0, ""
	for _, e := range m.GetEntries() {
		size += len(e.GetData())
		if first == "" {
			first = fmt.Sprintf("%d/%d", e.GetTerm(), e.GetIndex())
		}
	}
	say("RECEIVED %v from=%d to=%d term=%d logterm=%d index=%d entries=%d bytes=%d first=%s commit=%d context=%x",
		m.GetType(), m.GetFrom(), m.GetTo(), m.GetTerm(), m.GetLogTerm(), m.GetIndex(), len(m.GetEntries()),
		size, first, m.GetCommit(), m.GetContext())
	return nil
}
func (n *node) IsIDRemoved(uint64) bool      { return false }
func (n *node) ReportUnreachable(id uint64) { say("UNREACHABLE %d", id) }
func (n *node) ReportSnapshot(id uint64, s raft.SnapshotStatus) {
	say("REPORT %d finished=%v", id, s == raft.SnapshotFinish)
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func p[T any](v T) *T { return &v }

func main() {
	self, listen, peer, peerURL, cluster, dir := number(os.Args[1]), os.Args[2], number(os.Args[3]), os.Args[4],
		number(os.Args[5]), os.Args[6]
	log := zap.NewNop()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		panic(err)
	}
	id := types.ID(self)
	n := &node{snapshots: snap.New(log, dir)}
	t := &rafthttp.Transport{
		Logger: log, ID: id, URLs: types.MustNewURLs([]string{"http://" + listener.Addr().String()}),
		ClusterID: types.ID(cluster), Raft: n, Snapshotter: n.snapshots,
		ServerStats: stats.NewServerStats("", id.String()), LeaderStats: stats.NewLeaderStats(log, id.String()),
		ErrorC: make(chan error, 16),
	}
	if err := t.Start(); err != nil {
		panic(err)
	}
	go func() {
		for e := range t.ErrorC {
			say("FATAL %v", e)
		}
	}()
	go http.Serve(listener, t.Handler())
	t.AddPeer(types.ID(peer), []string{peerURL})
	say("READY http://%s", listener.Addr())

	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var a [6]uint64
		var kind string
		fmt.Sscan(in.Text(), &kind, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5])
		m := &raftpb.Message{From: &self, To: &peer}
		switch kind {
		case "append":
			m.Type, m.Term, m.LogTerm, m.Index, m.Commit = p(raftpb.MsgApp), &a[0], &a[1], &a[2], &a[5]
			for i := uint64(1); i <= a[3]; i++ {
				m.Entries = append(m.Entries, &raftpb.Entry{Term: p(a[0]), Index: p(a[2] + i), Data: bytes.Repeat([]byte{byte(i)}, int(a[4]))})
			}
		case "heartbeat":
			m.Type, m.Term, m.Commit, m.Context = p(raftpb.MsgHeartbeat), &a[0], &a[1], []byte{byte(a[2])}
		case "readindex":
			m.Type, m.Entries = p(raftpb.MsgReadIndex), []*raftpb.Entry{{Data: []byte{byte(a[0])}}}
		case "snapshot":
			m.Type, m.Term = p(raftpb.MsgSnap), &a[0]
			m.Snapshot = &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{Index: &a[1], Term: &a[0],
				ConfState: &raftpb.ConfState{Voters: []uint64{self, peer}}}}
			contents := bytes.Repeat([]byte{42}, int(a[2]))
			t.SendSnapshot(snap.NewMessage(m, io.NopCloser(bytes.NewReader(contents)), int64(len(contents))))
			continue
		default:
			say("ERROR unknown command %q", in.Text())
			continue
		}
		t.Send([]*raftpb.Message{m})
	}
}
