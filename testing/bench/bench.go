package main

import (
	"math"
	"time"
)

// Bench is what a case works with: the running cluster of one side and what is already in it.
type Bench struct {
	Cluster   *Cluster
	Endpoints []string
	Warmup    time.Duration
	Seconds   time.Duration
	Profile   string // file name without suffix; empty for none
	filled    map[string]bool
}

const coldFor = 10 * time.Second

// Sample is what one run of a case on one side measured.
type Sample struct {
	Latency Histogram
	Ops     uint64
	Errors  uint64
	Failure error // the first of the errors
	Elapsed time.Duration
	Usage   Usage
	Extras  []Extra
}

// Extra is a figure that only some cases have. Of several rounds the median is shown.
type Extra struct {
	Name  string
	Unit  string
	Value float64
}

// Run measures one case.
func (b *Bench) Run(c Case) (Sample, error) {
	if c.Run != nil {
		return c.Run(b)
	}
	load, err := c.Load(b)
	if err != nil {
		return Sample{}, err
	}
	return b.MeasureLoad(load, b.Warmup, b.Seconds)
}

// warmClients is how many clients warm up for a lone one, which would need minutes for as many
// operations as a just-in-time compiler wants to see.
const warmClients = 100

// MeasureLoad runs a closed loop and takes its figures between the end of the warm-up and the stop.
func (b *Bench) MeasureLoad(load Load, warmup, seconds time.Duration) (Sample, error) {
	if warmup > 0 && load.Clients == 1 {
		crowd := load
		crowd.Clients, crowd.Conns = warmClients, warmClients/clientsPerConn
		run, err := StartLoad(b.Endpoints, crowd)
		if err != nil {
			return Sample{}, err
		}
		err = b.settle(run.Completed, warmup)
		run.Stop()
		if err != nil {
			return Sample{}, err
		}
		warmup = min(warmup, time.Second)
	}
	run, err := StartLoad(b.Endpoints, load)
	if err != nil {
		return Sample{}, err
	}
	if err := b.settle(run.Completed, warmup); err != nil {
		return Sample{}, err
	}
	profile, err := b.startProfile()
	if err != nil {
		return Sample{}, err
	}
	meter, err := b.StartMeter()
	if err != nil {
		return Sample{}, err
	}
	run.Measure()
	time.Sleep(seconds)
	s, err := meter.Stop()
	if err != nil {
		return s, err
	}
	s.Latency, s.Errors, s.Failure = run.Stop()
	s.Ops = s.Latency.total
	return s, profile.stop()
}

// settle waits for the warm-up, then until the CPU time per operation no longer falls by 5 % from one
// window to the next twice over, and compilers take less than 5 % of it, or until maxSettle for each
// member: they share the machine. A fixed time of warm-up would measure the compiler.
func (b *Bench) settle(completed func() uint64, warmup time.Duration) error {
	time.Sleep(warmup)
	if warmup < settleWindow {
		return nil
	}
	last, steady := math.Inf(1), 0
	limit := maxSettle * time.Duration(len(b.Endpoints))
	for end := time.Now().Add(limit); steady < steadyWindows && time.Now().Before(end); {
		ops := completed()
		before, err := b.Cluster.Usage()
		if err != nil {
			return err
		}
		time.Sleep(settleWindow)
		after, err := b.Cluster.Usage()
		if err != nil {
			return err
		}
		used := after.Minus(before)
		cost := per(float64(used.CPU), float64(completed()-ops))
		if cost > 0.95*last && used.Compiling < used.CPU/20 {
			steady++
		} else {
			steady = 0
		}
		last = cost
	}
	return nil
}

const (
	settleWindow  = 2 * time.Second
	steadyWindows = 2
	maxSettle     = 60 * time.Second
)

// Meter takes the time and the servers' usage between its start and its stop.
type Meter struct {
	bench *Bench
	since time.Time
	usage Usage
}

func (b *Bench) StartMeter() (Meter, error) {
	usage, err := b.Cluster.Usage()
	return Meter{b, time.Now(), usage}, err
}

func (m Meter) Stop() (Sample, error) {
	elapsed := time.Since(m.since)
	usage, err := m.bench.Cluster.Usage()
	return Sample{Elapsed: elapsed, Usage: usage.Minus(m.usage)}, err
}
