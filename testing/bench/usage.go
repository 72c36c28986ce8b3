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
	CPU       time.Duration // user and system time of all threads, in steps of 10 ms
	Compiling time.Duration // of CPU, that of just-in-time compiler threads still alive
	Switches  uint64        // voluntary context switches: how often a thread went to sleep
	Syncs     uint64        // fdatasyncs, as the servers count them in their metrics
	RSS       uint64        // bytes resident now: never a difference
}

// Minus is the usage since before.
func (u Usage) Minus(before Usage) Usage {
	return Usage{u.CPU - before.CPU, max(0, u.Compiling-before.Compiling), u.Switches - before.Switches, u.Syncs - before.Syncs, u.RSS}
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
		sum = Usage{sum.CPU + u.CPU, sum.Compiling + u.Compiling, sum.Switches + u.Switches, sum.Syncs + u.Syncs, sum.RSS + u.RSS}
	}
	return sum, nil
}

// RSS is the resident memory of all members.
func (c *Cluster) RSS() (bytes uint64) {
	for _, m := range c.Members {
		bytes += residentBytes(m.PID())
	}
	return bytes
}

func residentBytes(pid int) uint64 {
	return statusField(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") << 10
}

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, which is 100 on every Linux.
const clockTick = 10 * time.Millisecond

func processUsage(pid int) (u Usage, err error) {
	if _, u.CPU, err = cpuTime(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return u, err
	}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		return u, err
	}
	for _, task := range tasks {
		u.Switches += statusField(task+"/status", "voluntary_ctxt_switches:")
		// A thread that has ended meanwhile has no name, and so no part in this.
		if name, cpu, err := cpuTime(task + "/stat"); err == nil && strings.Contains(name, " CompilerThre") {
			u.Compiling += cpu
		}
	}
	u.RSS = residentBytes(pid)
	return u, nil
}

// cpuTime reads the name and the user and system time of a process or thread.
func cpuTime(file string) (name string, cpu time.Duration, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", 0, err
	}
	// The name in parentheses may hold spaces; utime and stime are the 12th and 13th field after it.
	stat := string(text)
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	for _, field := range strings.Fields(stat[end+1:])[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return "", 0, err
		}
		cpu += time.Duration(ticks) * clockTick
	}
	return stat[open+1 : end], cpu, nil
}

// statusField reads a number from a status file; 0 when it is not there, as of a thread that has
// ended meanwhile.
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
