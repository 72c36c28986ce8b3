// Bench compares real etcd and etcd-j: it starts one after the other with the same flags in the same
// folder, drives both with the same load, and prints what clients saw and what the servers used up.
//
// Read in this order: main, cases, bench, load, h2, servers, usage, report.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	theirs = "etcd"
	us     = "etcd-j"
)

// options are the command line.
type options struct {
	cases    []Case
	members  []int
	rounds   int
	warmup   time.Duration
	seconds  time.Duration
	sides    []Side
	folder   string
	basePort int
	markdown string
	profile  string
	keep     bool
}

func main() {
	o, err := parse()
	if err == nil {
		err = compare(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse() (o options, err error) {
	var list []string
	for _, c := range cases {
		list = append(list, fmt.Sprintf("  %-10s %s", c.Name, c.About))
	}
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: testing/bench/run [flags]\n\ncases:\n%s\n\nflags:\n", strings.Join(list, "\n"))
		flag.PrintDefaults()
	}
	names := flag.String("cases", "put1,put100,get,sget,txn,keepalive", "which cases, or `all`")
	members := flag.String("members", "1", "cluster sizes, e.g. 1,3")
	only := flag.String("only", "", "measure one side only: us or etcd")
	ourCommand := flag.String("us", os.Getenv("ETCDJ_BENCH_US"), "command that starts etcd-j")
	theirCommand := flag.String("etcd", os.Getenv("ETCDJ_BENCH_ETCD"), "command that starts real etcd")
	javaOptions := flag.String("java-options", "", "extra JVM options for etcd-j")
	warmup := flag.Float64("warmup", 10, "seconds of load before a case is measured")
	seconds := flag.Float64("seconds", 10, "seconds measured per case and round")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each side is started and measured")
	flag.StringVar(&o.folder, "folder", "", "where both sides keep their data; must be on a real disk")
	flag.IntVar(&o.basePort, "base-port", 26000, "first of the ports used, two per member")
	flag.StringVar(&o.markdown, "markdown", "", "`file` to write the tables to as Markdown")
	flag.StringVar(&o.profile, "profile", "", "`folder` for CPU profiles of etcd-j, one per case")
	flag.BoolVar(&o.keep, "keep", false, "leave the last servers' data and output in the folder")
	flag.Parse()

	o.warmup = time.Duration(*warmup * float64(time.Second))
	o.seconds = time.Duration(*seconds * float64(time.Second))
	for name := range strings.SplitSeq(*names, ",") {
		if name == "all" {
			o.cases = append(o.cases, cases...)
			continue
		}
		c, err := caseNamed(name)
		if err != nil {
			return o, err
		}
		o.cases = append(o.cases, c)
	}
	for size := range strings.SplitSeq(*members, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > 9 {
			return o, fmt.Errorf("--members: %q is no cluster size", size)
		}
		o.members = append(o.members, n)
	}
	if *only != "us" {
		o.sides = append(o.sides, Side{Name: theirs, Command: strings.Fields(*theirCommand)})
	}
	if *only != "etcd" {
		side := Side{Name: us, Command: strings.Fields(*ourCommand)}
		if *javaOptions != "" {
			side.Env = append(side.Env, "ETCDJ_JAVA_OPTIONS="+*javaOptions)
		}
		o.sides = append(o.sides, side)
	}
	for _, side := range o.sides {
		if len(side.Command) == 0 {
			return o, fmt.Errorf("no command for %s: start the bench by testing/bench/run", side.Name)
		}
	}
	if o.folder == "" {
		o.folder = filepath.Join(os.TempDir(), "etcd-j-bench")
	}
	if o.profile != "" {
		if o.profile, err = filepath.Abs(o.profile); err != nil {
			return o, err
		}
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return o, err
		}
	}
	return o, checkDisk(o.folder)
}

// checkDisk refuses a folder in memory, where an fsync costs nothing.
func checkDisk(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return err
	}
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	if fs.Type == tmpfs || fs.Type == ramfs {
		return fmt.Errorf("%s lies in memory: name a folder on a disk with --folder", folder)
	}
	return nil
}

func compare(o options) error {
	var reports strings.Builder
	for _, members := range o.members {
		before := loadAverage()
		rows, err := measure(o, members)
		if err != nil {
			return err
		}
		for _, markdown := range []bool{false, true} {
			var w io.Writer = os.Stdout
			if markdown {
				w = &reports
			}
			fmt.Fprintf(w, "%d member(s), %d round(s) of %v after %v of warm-up; %s; load average %s before, %s after\n\n",
				members, o.rounds, o.seconds, o.warmup, machine(), before, loadAverage())
			Report(w, rows, o.sides, markdown)
		}
	}
	if o.markdown == "" {
		return nil
	}
	head := fmt.Sprintf("`testing/bench/run %s`, %s\n\n", strings.Join(os.Args[1:], " "), time.Now().Format(time.DateOnly))
	return os.WriteFile(o.markdown, []byte(head+reports.String()), 0o644)
}

// measure runs all rounds of one cluster size. The sides take turns, and the one that begins changes
// with each round, so that a machine that grows slower or faster favours neither.
func measure(o options, members int) ([]*Row, error) {
	var rows []*Row
	for _, c := range o.cases {
		rows = append(rows, &Row{Case: c, Members: members, Sides: map[string]*Result{}})
	}
	for round := range o.rounds {
		sides := slices.Clone(o.sides)
		if round%2 == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			if err := runSide(o, side, members, round, rows); err != nil {
				return nil, fmt.Errorf("%s: %w", side.Name, err)
			}
		}
	}
	return rows, nil
}

// runSide runs all cases on one side: those that need fresh servers on their own, the others one
// after the other on the same.
func runSide(o options, side Side, members, round int, rows []*Row) (err error) {
	var shared *Bench
	defer func() {
		if shared != nil {
			shared.Cluster.Stop()
		}
	}()
	for _, row := range rows {
		b := shared
		if b == nil || row.Case.Fresh {
			if shared != nil {
				shared.Cluster.Stop()
				shared = nil
			}
			if b, err = newBench(o, side, members); err != nil {
				return err
			}
			shared = b
		}
		if o.profile != "" {
			b.Profile = filepath.Join(o.profile, fmt.Sprintf("%s-%d", row.Case.Name, members))
		}
		sample, err := b.Run(row.Case)
		if row.Case.Fresh {
			shared.Cluster.Stop()
			shared = nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", row.Case.Name, err)
		}
		if row.Sides[side.Name] == nil {
			row.Sides[side.Name] = &Result{}
		}
		row.Sides[side.Name].Add(sample)
		progress(side, round, row, sample)
	}
	return nil
}

// progress is a line on stderr per case, side and round.
func progress(side Side, round int, row *Row, s Sample) {
	cost := per(float64(s.Usage.CPU.Nanoseconds())/1000, float64(s.Ops))
	compiling := 100 * per(float64(s.Usage.Compiling), float64(s.Usage.CPU))
	fmt.Fprintf(os.Stderr, "%s %s, round %d, %d member(s): %s %.0f ops/s, p99 %s ms, %s µs CPU/op (compilers %.0f %%), load %s\n",
		time.Now().Format(time.TimeOnly), side.Name, round+1, row.Members, row.Case.Name,
		per(float64(s.Ops), s.Elapsed.Seconds()), millis(s.Latency.Quantile(0.99)), short(cost), compiling, loadAverage())
}

func newBench(o options, side Side, members int) (*Bench, error) {
	cluster, err := StartCluster(side, members, o.basePort, filepath.Join(o.folder, "data"))
	if err != nil {
		return nil, err
	}
	cluster.Keep = o.keep
	endpoints, err := cluster.Endpoints()
	if err != nil {
		cluster.Stop()
		return nil, err
	}
	return &Bench{Cluster: cluster, Endpoints: endpoints, Warmup: o.warmup, Seconds: o.seconds, filled: map[string]bool{}}, nil
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}

// machine names processor, cores and memory.
func machine() string {
	model := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		cores := strings.Count(string(text), "processor\t")
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "model name\t: "); ok {
				model = fmt.Sprintf("%d cores of %s", cores, strings.TrimSpace(rest))
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d GiB", model, statusField("/proc/meminfo", "MemTotal:")>>20)
}
