package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// profilerLibrary is async-profiler's agent; the launcher script fetches it.
var profilerLibrary = os.Getenv("ETCDJ_BENCH_PROFILER")

// profiling is a profile being taken of the leader while a case is measured.
type profiling struct {
	pid  int
	file string
}

// startProfile attaches the profiler to our server, if profiles are wanted. Attaching at run time
// leaves start and warm-up out of the profile, and the server's start as it is without.
func (b *Bench) startProfile() (*profiling, error) {
	if b.Profile == "" || b.Cluster.Side.Name != us {
		return nil, nil
	}
	p := &profiling{pid: b.leader().PID(), file: b.Profile}
	return p, p.tell("start,event=ctimer,interval=500us,threads")
}

func (p *profiling) stop() error {
	if p == nil {
		return nil
	}
	if err := p.tell("dump,threads,flamegraph,file=" + p.file + ".html"); err != nil {
		return err
	}
	return p.tell("stop,threads,collapsed,file=" + p.file + ".collapsed")
}

func (p *profiling) tell(command string) error {
	java, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.pid))
	if err != nil {
		return err
	}
	jcmd := exec.Command(filepath.Join(filepath.Dir(java), "jcmd"), fmt.Sprint(p.pid),
		"JVMTI.agent_load", profilerLibrary, `"`+command+`"`)
	out, err := jcmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "return code: 0") {
		return fmt.Errorf("profiler: %s: %v: %s", command, err, out)
	}
	return nil
}

func (b *Bench) leader() *Member {
	for _, m := range b.Cluster.Members {
		if hostPort(m.ClientURL) == b.Endpoints[0] {
			return m
		}
	}
	return b.Cluster.Members[0]
}
