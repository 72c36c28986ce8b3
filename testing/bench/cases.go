package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Case is one row of the comparison.
type Case struct {
	Name  string
	About string
	// Load builds the case's closed loop, after putting in place the data that it needs.
	Load func(*Bench) (Load, error)
	// Run measures a case that is no plain closed loop.
	Run func(*Bench) (Sample, error)
	// Fresh asks for servers of its own, just started.
	Fresh bool
	// Factor is how many times their operations per CPU-second we want at least; 0 asks for nothing.
	Factor float64
	// Wanted bounds the case's own figures, by their names.
	Wanted map[string]Bound
}

// Bound is the highest value that is good enough for us: absolute, or as a multiple of theirs. The
// zero Bound asks for nothing.
type Bound struct {
	Max     float64
	ByTheir bool
}

func (b Bound) String() string {
	switch {
	case b.Max == 0:
		return ""
	case b.ByTheir:
		return fmt.Sprintf("≤ %gx", b.Max)
	default:
		return fmt.Sprintf("≤ %g", b.Max)
	}
}

// Met tells whether our value is within the bound; so is every value when theirs is unknown but
// needed.
func (b Bound) Met(ours, theirs float64) bool {
	switch {
	case b.Max == 0 || b.ByTheir && theirs == 0:
		return true
	case b.ByTheir:
		return ours <= b.Max*theirs
	default:
		return ours <= b.Max
	}
}

const (
	keySpace  = 10_000
	pageSpace = 100_000
)

// cases in the order in which they run: those that fill the store come late.
var cases = []Case{
	{Name: "put1", About: "put, 1 client", Load: puts(1), Factor: 2},
	{Name: "put100", About: "put, 100 clients", Load: puts(100), Factor: 2},
	{Name: "put1000", About: "put, 1,000 clients", Load: puts(1000)},
	{Name: "txn", About: "transaction of 4 puts, 100 clients", Load: txns(100), Factor: 2},
	{Name: "get", About: "get linearizable, 100 clients", Load: gets(100, false), Factor: 2},
	{Name: "sget", About: "get serializable, 100 clients", Load: gets(100, true), Factor: 2},
	{Name: "mixed", About: "mixed 3:1 get:put, 100 clients", Load: mixes(100)},
	{Name: "keepalive", About: "lease keepalive, 100 clients", Load: keepAlives(100), Factor: 2},
	{Name: "list1k", About: "list of 1,000 keys, 16 clients", Load: lists("thousand", 1_000, 0, 16)},
	{Name: "list10k", About: "list of 10,000 keys, 4 clients", Load: lists("get", keySpace, 0, 4)},
	{Name: "page", About: "page of 1,000 out of 100,000 keys, 16 clients", Load: lists("page", pageSpace, 1_000, 16), Factor: 5},
	{Name: "fanout", About: "event to 1,000 watchers of one key", Run: fanOut, Factor: 3},
	{Name: "fanout10k", About: "event to one of 10,000 watchers of 10,000 keys", Run: fanOutWide, Factor: 3,
		Wanted: map[string]Bound{"put p99": {1, true}}},
	{Name: "watchlat", About: "put to event, 1 watcher, 200 puts/s", Run: watchLatency},
	{Name: "cold", About: "put, 100 clients, first 10 s after start", Run: coldPuts, Fresh: true},
	{Name: "coldget", About: "get linearizable, 100 clients, first 10 s after start", Run: coldGets, Fresh: true},
	{Name: "lists", About: "bad day: 8 clients list 10,000 keys of 10 KB", Run: bigLists, Fresh: true, Wanted: map[string]Bound{
		"RSS growth at peak": {Max: 512}, "list longest by median": {Max: 20}}},
	{Name: "late", About: "bad day: 100 watchers start 200,000 revisions behind", Run: lateWatchers, Fresh: true, Wanted: map[string]Bound{
		"until all have caught up": {0.2, true}, "put p99 during by idle": {Max: 3}}},
	{Name: "stalled", About: "bad day: 1,000 watchers that never read", Run: stalledWatchers, Fresh: true, Wanted: map[string]Bound{
		"RSS growth at peak": {Max: 50}, "CPU after the puts by without watchers": {Max: 1.2}}},
	{Name: "million", About: "1 million keys (40 B key, 256 B value)", Run: million, Fresh: true, Wanted: map[string]Bound{
		"RSS after the load, per member": {1, true}, "restart after SIGKILL until healthy": {1, true}}},
}

func caseNamed(name string) (Case, error) {
	for _, c := range cases {
		if c.Name == name {
			return c, nil
		}
	}
	return Case{}, fmt.Errorf("no case %q", name)
}

// clientsPerConn is how clients share connections.
const clientsPerConn = 10

func closedLoop(clients int, source func(client int) Source) Load {
	return Load{Clients: clients, Conns: max(1, clients/clientsPerConn), Source: source}
}

// seeded is the client's own random source: the same on both sides and in every run.
func seeded(client int) *rand.Rand { return rand.New(rand.NewPCG(uint64(client), 3707)) }

func puts(clients int) func(*Bench) (Load, error) {
	return func(*Bench) (Load, error) {
		return closedLoop(clients, func(i int) Source { return putSource("put", keySpace, seeded(i)) }), nil
	}
}

func txns(clients int) func(*Bench) (Load, error) {
	return func(*Bench) (Load, error) {
		return closedLoop(clients, func(i int) Source { return txnSource("txn", keySpace, seeded(i)) }), nil
	}
}

func gets(clients int, serializable bool) func(*Bench) (Load, error) {
	return func(b *Bench) (Load, error) {
		load := closedLoop(clients, func(i int) Source { return getSource("get", keySpace, serializable, seeded(i)) })
		load.ReplyBytes = keyBytes + valueBytes
		return load, b.Fill("get", keySpace, valueBytes)
	}
}

func mixes(clients int) func(*Bench) (Load, error) {
	return func(b *Bench) (Load, error) {
		return closedLoop(clients, func(i int) Source {
			random := seeded(i)
			return &mixed{getSource("get", keySpace, false, random), putSource("get", keySpace, random), 0.75, random}
		}), b.Fill("get", keySpace, valueBytes)
	}
}

func lists(folder string, keys int, limit int64, clients int) func(*Bench) (Load, error) {
	return func(b *Bench) (Load, error) {
		load := closedLoop(clients, func(int) Source { return listSource(folder, limit) })
		load.Conns = clients
		shown := keys
		if limit > 0 {
			shown = int(limit)
		}
		load.ReplyBytes = int64(shown * (keyBytes + valueBytes))
		return load, b.Fill(folder, keys, valueBytes)
	}
}

func keepAlives(clients int) func(*Bench) (Load, error) {
	return func(b *Bench) (Load, error) {
		conn, err := dial(b.Endpoints[0])
		if err != nil {
			return Load{}, err
		}
		defer conn.Close()
		leases := make([]int64, clients)
		for i := range leases {
			lease, err := pb.NewLeaseClient(conn).LeaseGrant(context.Background(), &pb.LeaseGrantRequest{TTL: 600})
			if err != nil {
				return Load{}, err
			}
			leases[i] = lease.ID
		}
		load := closedLoop(clients, func(i int) Source { return keepAliveSource(leases[i]) })
		load.Streams = true
		return load, nil
	}
}

// coldPuts and coldGets measure from the moment the servers are ready, without a warm-up.
func coldPuts(b *Bench) (Sample, error) { return b.cold(puts(100)) }
func coldGets(b *Bench) (Sample, error) { return b.cold(gets(100, false)) }

func (b *Bench) cold(load func(*Bench) (Load, error)) (Sample, error) {
	l, err := load(b)
	if err != nil {
		return Sample{}, err
	}
	return b.MeasureLoad(l, 0, coldFor)
}
