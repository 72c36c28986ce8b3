package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Row is a case on both sides, over all rounds.
type Row struct {
	Case    Case
	Members int
	Sides   map[string]*Result
}

// Result adds up the samples of one side.
type Result struct {
	Samples []Sample
	Sum     Sample
}

// Add takes in a round's sample.
func (r *Result) Add(s Sample) {
	r.Samples = append(r.Samples, s)
	r.Sum.Latency.Merge(&s.Latency)
	r.Sum.Ops += s.Ops
	r.Sum.Errors += s.Errors
	if r.Sum.Failure == nil {
		r.Sum.Failure = s.Failure
	}
	r.Sum.Elapsed += s.Elapsed
	r.Sum.Usage.CPU += s.Usage.CPU
	r.Sum.Usage.Switches += s.Usage.Switches
	r.Sum.Usage.Syncs += s.Usage.Syncs
	r.Sum.Usage.RSS = max(r.Sum.Usage.RSS, s.Usage.RSS)
}

// Rate is operations per second.
func (r *Result) Rate() float64 { return per(float64(r.Sum.Ops), r.Sum.Elapsed.Seconds()) }

// MicrosPerOp is the servers' CPU time per operation.
func (r *Result) MicrosPerOp() float64 {
	return per(float64(r.Sum.Usage.CPU.Nanoseconds())/1000, float64(r.Sum.Ops))
}

// Extra is the median of a figure over the rounds.
func (r *Result) Extra(name string) (float64, bool) {
	var values []float64
	for _, s := range r.Samples {
		for _, e := range s.Extras {
			if e.Name == name {
				values = append(values, e.Value)
			}
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return values[len(values)/2], true
}

func per(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// table is printed as aligned text or as Markdown.
type table struct{ rows [][]string }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer, markdown bool) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, row := range t.rows {
		var line []string
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i < 2 {
				line = append(line, cell+pad)
			} else {
				line = append(line, pad+cell)
			}
		}
		if !markdown {
			fmt.Fprintln(w, strings.TrimRight(strings.Join(line, "  "), " "))
			continue
		}
		fmt.Fprintln(w, "| "+strings.Join(line, " | ")+" |")
		if n == 0 {
			fmt.Fprintln(w, "|"+strings.Repeat("---|", 2)+strings.Repeat("--:|", len(row)-2))
		}
	}
	fmt.Fprintln(w)
}

// Report prints the rows of one cluster size: first the figures that every case has, then the rest.
func Report(w io.Writer, rows []*Row, sides []Side, markdown bool) {
	common, special := &table{}, &table{}
	common.add("case", "server", "ops/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU µs/op", "RSS MiB", "syncs/op",
		"sleeps/op", "errors", "ops per CPU-s", "p99", "verdict")
	special.add("case", "figure", theirs, us, "factor", "wanted", "verdict")
	for _, row := range rows {
		for _, side := range sides {
			if r := row.Sides[side.Name]; r != nil && r.Sum.Ops > 0 {
				common.add(append(commonCells(row, side.Name, r), ratios(row, side.Name)...)...)
			}
		}
		specialRows(special, row)
	}
	if len(common.rows) > 1 {
		common.print(w, markdown)
	}
	if len(special.rows) > 1 {
		special.print(w, markdown)
	}
	for _, row := range rows {
		for name, r := range row.Sides {
			if r.Sum.Failure != nil {
				fmt.Fprintf(w, "%s on %s: %d errors, the first: %v\n", row.Case.Name, name, r.Sum.Errors, r.Sum.Failure)
			}
		}
	}
}

func commonCells(row *Row, side string, r *Result) []string {
	ops := float64(r.Sum.Ops)
	return []string{
		row.Case.About, side, fmt.Sprintf("%.0f", r.Rate()),
		millis(r.Sum.Latency.Quantile(0.5)), millis(r.Sum.Latency.Quantile(0.99)), millis(r.Sum.Latency.Quantile(0.999)),
		short(r.MicrosPerOp()), fmt.Sprint(r.Sum.Usage.RSS >> 20),
		fmt.Sprintf("%.3f", float64(r.Sum.Usage.Syncs)/ops), fmt.Sprintf("%.2f", float64(r.Sum.Usage.Switches)/ops),
		fmt.Sprint(r.Sum.Errors),
	}
}

// ratios compares ours with theirs, on our line: above 1 is better for operations per CPU-second,
// below 1 for latency. The verdict names what misses its target; p99 has the target of the others.
func ratios(row *Row, side string) []string {
	ours, other := row.Sides[us], row.Sides[theirs]
	if side != us || ours == nil || other == nil || other.Sum.Ops == 0 {
		return []string{"", "", ""}
	}
	factor := per(other.MicrosPerOp(), ours.MicrosPerOp())
	p99 := per(float64(ours.Sum.Latency.Quantile(0.99)), float64(other.Sum.Latency.Quantile(0.99)))
	var missed []string
	if factor < row.Case.Factor {
		missed = append(missed, fmt.Sprintf("CPU misses %gx", row.Case.Factor))
	}
	if p99 > 1 {
		missed = append(missed, "p99 worse")
	}
	verdict := "met"
	if len(missed) > 0 {
		verdict = strings.Join(missed, ", ")
	}
	return []string{fmt.Sprintf("%.2fx", factor), fmt.Sprintf("%.2fx", p99), verdict}
}

func specialRows(t *table, row *Row) {
	var names []Extra
	for _, side := range []string{theirs, us} {
		if r := row.Sides[side]; r != nil {
			for _, e := range r.Samples[0].Extras {
				if !slices.ContainsFunc(names, func(n Extra) bool { return n.Name == e.Name }) {
					names = append(names, e)
				}
			}
		}
	}
	for _, e := range names {
		cells := []string{row.Case.About, e.Name + ", " + e.Unit}
		values := map[string]float64{}
		for _, side := range []string{theirs, us} {
			cell := ""
			if r := row.Sides[side]; r != nil {
				if v, ok := r.Extra(e.Name); ok {
					values[side], cell = v, short(v)
				}
			}
			cells = append(cells, cell)
		}
		factor := ""
		if values[us] > 0 && values[theirs] > 0 {
			factor = fmt.Sprintf("%.2fx", values[us]/values[theirs])
		}
		wanted := row.Case.Wanted[e.Name]
		verdict := ""
		switch {
		case wanted.Max == 0 || row.Sides[us] == nil:
		case wanted.Met(values[us], values[theirs]):
			verdict = "met"
		default:
			verdict = "missed"
		}
		t.add(append(cells, factor, wanted.String(), verdict)...)
	}
}

func millis(d time.Duration) string { return short(float64(d.Microseconds()) / 1000) }

// short shows three digits that matter.
func short(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
