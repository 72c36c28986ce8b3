package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Side is one of the two servers compared.
type Side struct {
	Name    string
	Command []string // what to run; the flags follow
	Env     []string
}

// Cluster is a running cluster of one side, with fresh data of its own.
type Cluster struct {
	Side    Side
	Dir     string
	Keep    bool // leave the data when stopped, to look at
	Members []*Member
}

// Member is one server process.
type Member struct {
	Name      string
	ClientURL string
	PeerURL   string
	DataDir   string
	cluster   *Cluster
	process   *exec.Cmd
	ended     chan struct{}
}

// PID of the member's process. The launchers replace themselves by the server, so it is the server's.
func (m *Member) PID() int { return m.process.Process.Pid }

// StartCluster starts a cluster with empty data folders below dir and waits until it has a leader.
func StartCluster(side Side, members, basePort int, dir string) (*Cluster, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := &Cluster{Side: side, Dir: dir}
	for i := range members {
		name := fmt.Sprintf("m%d", i)
		c.Members = append(c.Members, &Member{
			Name: name, cluster: c, DataDir: filepath.Join(dir, name),
			ClientURL: fmt.Sprintf("http://127.0.0.1:%d", basePort+2*i),
			PeerURL:   fmt.Sprintf("http://127.0.0.1:%d", basePort+2*i+1),
		})
	}
	for _, m := range c.Members {
		if err := m.Start(); err != nil {
			c.Stop()
			return nil, err
		}
	}
	if err := c.AwaitReady(time.Minute); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Start runs the member's process; its output goes to a file beside its data.
func (m *Member) Start() error {
	var initial []string
	for _, other := range m.cluster.Members {
		initial = append(initial, other.Name+"="+other.PeerURL)
	}
	args := append(m.cluster.Side.Command[1:len(m.cluster.Side.Command):len(m.cluster.Side.Command)],
		"--name", m.Name, "--data-dir", m.DataDir,
		"--listen-client-urls", m.ClientURL, "--advertise-client-urls", m.ClientURL,
		"--listen-peer-urls", m.PeerURL, "--initial-advertise-peer-urls", m.PeerURL,
		"--initial-cluster", strings.Join(initial, ","), "--initial-cluster-state", "new",
		"--quota-backend-bytes", "8589934592", "--log-level", "warn")
	log, err := os.OpenFile(m.DataDir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	m.process = exec.Command(m.cluster.Side.Command[0], args...)
	m.process.Stdout, m.process.Stderr = log, log
	m.process.Env = append(os.Environ(), m.cluster.Side.Env...)
	m.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.process.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	m.ended = ended
	go func(process *exec.Cmd) {
		process.Wait()
		close(ended)
	}(m.process)
	return nil
}

// Healthy asks the member itself.
func (m *Member) Healthy() bool {
	client := http.Client{Timeout: time.Second}
	reply, err := client.Get(m.ClientURL + "/health")
	if err != nil {
		return false
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	return err == nil && strings.Contains(string(body), `"health":"true"`)
}

// AwaitReady waits until every member is healthy.
func (c *Cluster) AwaitReady(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for _, m := range c.Members {
		for !m.Healthy() {
			select {
			case <-m.ended:
				return fmt.Errorf("%s %s ended while starting: %s", c.Side.Name, m.Name, m.lastWords())
			case <-time.After(5 * time.Millisecond):
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s %s is not healthy after %v: %s", c.Side.Name, m.Name, limit, m.lastWords())
			}
		}
	}
	return nil
}

func (m *Member) lastWords() string {
	log, err := os.ReadFile(m.DataDir + ".log")
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-2000):])
}

// Stop ends all members and removes their data.
func (c *Cluster) Stop() {
	for _, m := range c.Members {
		if m.process != nil {
			m.process.Process.Signal(syscall.SIGTERM)
		}
	}
	for _, m := range c.Members {
		if m.process == nil {
			continue
		}
		select {
		case <-m.ended:
		case <-time.After(10 * time.Second):
			m.Kill()
		}
	}
	if !c.Keep {
		os.RemoveAll(c.Dir)
	}
}

// Kill is SIGKILL; it returns when the process has gone.
func (m *Member) Kill() {
	m.process.Process.Kill()
	<-m.ended
}

// Endpoints lists host:port of all members, the leader's first: a lone client then always pays the
// same way, wherever the election went.
func (c *Cluster) Endpoints() ([]string, error) {
	var first, rest []string
	for _, m := range c.Members {
		conn, err := m.Dial()
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		status, err := pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
		cancel()
		conn.Close()
		if err != nil {
			return nil, err
		}
		if status.Leader == status.Header.MemberId {
			first = append(first, hostPort(m.ClientURL))
		} else {
			rest = append(rest, hostPort(m.ClientURL))
		}
	}
	if len(first) != 1 {
		return nil, errors.New("the members do not agree on the leader")
	}
	return append(first, rest...), nil
}

// Dial opens an ordinary gRPC connection, for what is not measured.
func (m *Member) Dial() (*grpc.ClientConn, error) { return dial(hostPort(m.ClientURL)) }

func dial(endpoint string) (*grpc.ClientConn, error) {
	return grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
}
