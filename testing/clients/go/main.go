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

const (
	// patience is for anything that does not take long unless the machine is slow. Nothing that goes
	// well waits for it.
	patience = 5 * time.Minute
	attempt  = 20 * time.Second
	longest  = 30 * time.Minute
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

// eventually repeats what may fail while the members elect.
func eventually(what string, try func(ctx context.Context) error) {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), attempt)
		err = try(ctx)
		cancel()
		if err == nil {
			return
		}
	}
	must(fmt.Errorf("%s: %w", what, err))
}

// reaches waits until the condition holds and tells whether it does.
func reaches(condition func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

func connect(endpoints string) *clientv3.Client {
	return got(clientv3.New(clientv3.Config{
		Endpoints:            strings.Split(endpoints, ","),
		DialTimeout:          patience,
		DialKeepAliveTime:    5 * time.Second,
		DialKeepAliveTimeout: attempt,
		Logger:               zap.NewNop(),
	}))
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "clients ENDPOINTS LEADER_COMMAND")
		os.Exit(2)
	}
	endpoints, leader := os.Args[1], os.Args[2]
	time.AfterFunc(longest, func() { must(fmt.Errorf("%v have passed", longest)) })
	client := connect(endpoints)
	ctx := context.Background()

	keyValue(ctx, client)
	transactions(ctx, client)
	watches(ctx, client)
	leases(ctx, client)
	wrappers(ctx, client, connect(endpoints))
	recipes(ctx, client)
	members := &members{client: client, endpoints: strings.Split(endpoints, ",")}
	members.describe(ctx)
	refused(ctx, client)

	failover := startFailover(endpoints, members.statuses()[0].Leader)
	failover.awaitProgress("before the leader's death", 0)
	term := members.term()
	control(leader, "kill")
	failover.awaitProgress("after the leader's death", 1)
	members.elected(term)
	control(leader, "restart")
	failover.awaitProgress("after its return", 1)
	failover.finish()
	members.agree(ctx)

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
