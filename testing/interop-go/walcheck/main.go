// Walcheck opens, writes and continues write-ahead logs with etcd's own module, so that a test can
// compare them with ours.
//
//	walcheck dump DIR          verify the log and print what it holds
//	walcheck write DIR         make a log: several segments, snapshots, overwritten tails
//	walcheck continue DIR N    open the log for writing and append N entries
//
// Printed, one line each: "metadata NODE CLUSTER", "snapshot INDEX TERM VOTER,VOTER",
// "state TERM VOTE COMMIT", and per entry "entry TERM INDEX TYPE SHA256".
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
)

func main() {
	switch command, dir := os.Args[1], os.Args[2]; command {
	case "dump":
		dump(dir)
	case "write":
		write(dir)
		dump(dir)
	case "continue":
		n, err := strconv.Atoi(os.Args[3])
		check(err)
		carryOn(dir, n)
		dump(dir)
	default:
		check(fmt.Errorf("unknown command %q", command))
	}
}

func newest(dir string) *walpb.Snapshot {
	valid, err := wal.ValidSnapshotEntries(zap.NewNop(), dir)
	check(err)
	return valid[len(valid)-1]
}

func dump(dir string) {
	start := newest(dir)
	verified, err := wal.Verify(zap.NewNop(), dir, start)
	check(err)
	log, err := wal.OpenForRead(zap.NewNop(), dir, start)
	check(err)
	metadata, state, entries, err := log.ReadAll()
	check(err)
	_ = log.Close() // Complains of the directory that is only open for writers.
	if !proto.Equal(verified, state) {
		check(fmt.Errorf("verified %v, read %v", verified, state))
	}

	var owner etcdserverpb.Metadata
	check(proto.Unmarshal(metadata, &owner))
	fmt.Printf("metadata %d %d\n", owner.GetNodeID(), owner.GetClusterID())
	voters := []string{}
	for _, id := range start.GetConfState().GetVoters() {
		voters = append(voters, strconv.FormatUint(id, 10))
	}
	fmt.Printf("snapshot %d %d %s\n", start.GetIndex(), start.GetTerm(), strings.Join(voters, ","))
	fmt.Printf("state %d %d %d\n", state.GetTerm(), state.GetVote(), state.GetCommit())
	for _, entry := range entries {
		fmt.Printf("entry %d %d %d %x\n",
			entry.GetTerm(), entry.GetIndex(), int32(entry.GetType()), sha256.Sum256(entry.GetData()))
	}
}

func write(dir string) {
	wal.SegmentSizeBytes = 16 * 1024
	metadata, err := proto.Marshal(&etcdserverpb.Metadata{NodeID: ptr(uint64(1 << 63)), ClusterID: ptr(uint64(42))})
	check(err)
	log, err := wal.Create(zap.NewNop(), dir, metadata)
	check(err)
	term := uint64(1)
	terms := map[uint64]uint64{}
	for index := uint64(1); index <= 120; index++ {
		save(log, term, index, index-1)
		terms[index] = term
		if index%25 == 0 {
			// A new leader replaces the last three entries.
			term++
			for again := index - 2; again <= index; again++ {
				save(log, term, again, index-3)
				terms[again] = term
			}
		}
		if index%40 == 20 {
			check(log.SaveSnapshot(&walpb.Snapshot{
				Index: ptr(index - 5), Term: ptr(terms[index-5]), ConfState: members()}))
		}
	}
	check(log.Close())
}

func carryOn(dir string, n int) {
	start := newest(dir)
	log, err := wal.Open(zap.NewNop(), dir, start)
	check(err)
	_, state, entries, err := log.ReadAll()
	check(err)
	next := start.GetIndex() + uint64(len(entries)) + 1
	for end := next + uint64(n); next < end; next++ {
		save(log, state.GetTerm(), next, next-1)
	}
	check(log.Close())
}

func save(log *wal.WAL, term, index, commit uint64) {
	entry := &raftpb.Entry{Term: ptr(term), Index: ptr(index)}
	if index%7 == 0 {
		entry.Type = raftpb.EntryConfChange.Enum()
	}
	if index%11 != 0 {
		entry.Data = bytes.Repeat([]byte{byte(term), byte(index)}, int(index*37%900))
	}
	state := &raftpb.HardState{Term: ptr(term), Vote: ptr(term % 3), Commit: ptr(commit)}
	check(log.Save(state, []*raftpb.Entry{entry}))
}

func members() *raftpb.ConfState {
	return &raftpb.ConfState{Voters: []uint64{1, 2, 1 << 63}, AutoLeave: ptr(false)}
}

func ptr[T any](value T) *T { return &value }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
