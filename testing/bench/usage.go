package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what servers have used up since they started, or, as a difference, meanwhile.
type Usage struct {
	CPU      time.Duration // user and system time of all threads, in steps of 10 ms
	Switches uint64        // voluntary context switches: how often a thread went to sleep
	Syncs    uint64        // fdatasyncs, as the servers count them in their metrics
	RSS      uint64        // bytes resident now: never a difference
}

// Minus is the usage since before.
func (u Usage) Minus(before Usage) Usage {
	return Usage{u.CPU - before.CPU, u.Switches - before.Switches, u.Syncs - before.Syncs, u.RSS}
}

// Usage adds up all members.
func (c *Cluster) Usage() (Usage, error) {
	var sum Usage
	for _, m := range c.Members {
		u, err := processUsage(m.PID())
		if err != nil {
			return sum, err
		}
		if u.Syncs, err = syncs(m.ClientURL); err != nil {
			return sum, err
		}
		sum = Usage{sum.CPU + u.CPU, sum.Switches + u.Switches, sum.Syncs + u.Syncs, sum.RSS + u.RSS}
	}
	return sum, nil
}

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, which is 100 on every Linux.
const clockTick = 10 * time.Millisecond

func processUsage(pid int) (u Usage, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	// The name in parentheses may hold spaces; utime and stime are the 12th and 13th field after it.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return u, err
		}
		u.CPU += time.Duration(ticks) * clockTick
	}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		return u, err
	}
	for _, task := range tasks {
		u.Switches += statusField(task, "voluntary_ctxt_switches:")
	}
	u.RSS = statusField(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") << 10
	return u, nil
}

// statusField reads a number from a status file; 0 for a thread that has ended meanwhile.
func statusField(file, name string) uint64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}

// syncs counts the log's fsyncs and the backend's commits, which end in one each.
func syncs(url string) (uint64, error) {
	reply, err := http.Get(url + "/metrics")
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	var sum float64
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		for _, name := range []string{"etcd_disk_wal_fsync_duration_seconds_count ", "etcd_disk_backend_commit_duration_seconds_count "} {
			if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
				n, err := strconv.ParseFloat(rest, 64)
				if err != nil {
					return 0, err
				}
				sum += n
			}
		}
	}
	return uint64(sum), lines.Err()
}
