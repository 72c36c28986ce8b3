package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const (
	millionKeys = 1_000_000
	// millionFolder makes keys of 40 bytes: 28 of folder and 12 digits.
	millionFolder = "a-folder-of-forty-byte-keys"
)

// million loads a million keys, then kills one member and starts it again.
func million(b *Bench) (Sample, error) {
	meter, err := b.StartMeter()
	if err != nil {
		return Sample{}, err
	}
	latency, err := b.PutEach(millionFolder, millionKeys, millionKeys)
	if err != nil {
		return Sample{}, err
	}
	s, err := meter.Stop()
	if err != nil {
		return s, err
	}
	s.Latency, s.Ops = latency, latency.total
	time.Sleep(5 * time.Second)
	members := float64(len(b.Cluster.Members))
	s.Extras = []Extra{
		{Name: "load rate", Unit: "puts/s", Value: per(float64(s.Ops), s.Elapsed.Seconds())},
		{Name: "RSS after the load, per member", Unit: "MiB", Value: float64(b.Cluster.RSS()) / mib / members},
	}
	victim := b.leader()
	for _, kind := range []string{"snap/db", "snap", "wal"} {
		bytes, err := allocated(filepath.Join(victim.DataDir, "member", kind))
		if err != nil {
			return s, err
		}
		s.Extras = append(s.Extras, Extra{"on disk: " + kind, "MiB", float64(bytes) / mib})
	}
	ready, err := restart(victim)
	if err != nil {
		return s, err
	}
	cpu, err := processUsage(victim.PID())
	s.Extras = append(s.Extras,
		Extra{Name: "restart after SIGKILL until healthy", Unit: "s", Value: ready.Seconds()},
		Extra{Name: "CPU of the restart", Unit: "s", Value: cpu.CPU.Seconds()},
		Extra{Name: "RSS after the restart", Unit: "MiB", Value: float64(cpu.RSS) / mib})
	return s, err
}

// restart kills the member and waits until it is healthy again and shows all keys.
func restart(m *Member) (time.Duration, error) {
	m.Kill()
	began := time.Now()
	if err := m.Start(); err != nil {
		return 0, err
	}
	for !m.Healthy() {
		if time.Since(began) > 2*time.Minute {
			return 0, fmt.Errorf("not healthy two minutes after the kill: %s", m.lastWords())
		}
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(began)
	conn, err := m.Dial()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	from, to := folderRange(millionFolder)
	reply, err := pb.NewKVClient(conn).Range(context.Background(), &pb.RangeRequest{Key: from, RangeEnd: to, CountOnly: true})
	if err == nil && reply.Count != millionKeys {
		err = fmt.Errorf("%d keys after the restart, %d were put", reply.Count, millionKeys)
	}
	return took, err
}

// allocated is how much disk a file or folder takes, holes and preallocation as the disk counts them.
func allocated(path string) (bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && !entry.IsDir() {
			bytes += stat.Blocks * 512
		}
		return nil
	})
	return bytes, err
}
