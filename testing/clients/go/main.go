// Command clients drives a running cluster through etcd's own Go client:
//
//	clients ENDPOINTS LEADER_COMMAND
//
// ENDPOINTS is a comma list; "LEADER_COMMAND kill" kills the leader and "LEADER_COMMAND restart"
// starts it again. Prints one line per check; ends with the counts and 1 when one failed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

var (
	counts         sync.Mutex
	passed, failed int
)

// check compares what the two values print as.
func check(name string, expected, found any) {
	counts.Lock()
	defer counts.Unlock()
	if e, f := fmt.Sprint(expected), fmt.Sprint(found); e == f {
		passed++
		fmt.Println("ok", name)
	} else {
		failed++
		fmt.Printf("FAILED %s: expected [%s], found [%s]\n", name, e, f)
	}
}

// must ends the program on an error that leaves nothing to go on with.
func must(err error) {
	if err != nil {
		fmt.Printf("FAILED to go on: %v\n", err)
		fmt.Printf("%d passed, %d failed\n", passed, failed+1)
		os.Exit(1)
	}
}

func got[T any](value T, err error) T { must(err); return value }

// eventually repeats what may fail while the members elect, for a minute.
func eventually(what string, attempt func(ctx context.Context) error) {
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = attempt(ctx)
		cancel()
		if err == nil {
			return
		}
	}
	must(fmt.Errorf("%s: %w", what, err))
}

func connect(endpoints string) *clientv3.Client {
	return got(clientv3.New(clientv3.Config{
		Endpoints:            strings.Split(endpoints, ","),
		DialTimeout:          20 * time.Second,
		DialKeepAliveTime:    5 * time.Second,
		DialKeepAliveTimeout: 5 * time.Second,
		Logger:               zap.NewNop(),
	}))
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "clients ENDPOINTS LEADER_COMMAND")
		os.Exit(2)
	}
	endpoints, leader := os.Args[1], os.Args[2]
	time.AfterFunc(8*time.Minute, func() { must(fmt.Errorf("eight minutes have passed")) })
	client := connect(endpoints)
	ctx := context.Background()

	keyValue(ctx, client)
	transactions(ctx, client)
	watches(ctx, client)
	leases(ctx, client)
	wrappers(ctx, client, connect(endpoints))
	others(ctx, client)

	failover := startFailover(endpoints)
	failover.awaitProgress("before the leader's death")
	control(leader, "kill")
	failover.awaitProgress("after the leader's death")
	control(leader, "restart")
	failover.awaitProgress("after its return")
	failover.finish()

	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func control(command, what string) {
	out, err := exec.Command(command, what).CombinedOutput()
	fmt.Printf("-- %s: %s\n", what, strings.TrimSpace(string(out)))
	must(err)
}
