package main

import (
	"math/bits"
	"time"
)

// subBits sets the resolution: each power of two is split in 64, so a value is off by 1.6 % at most.
const subBits = 6

// Histogram counts latencies in log-linear buckets of nanoseconds. One goroutine writes it; merge
// the histograms of several afterwards.
type Histogram struct {
	counts [(64 - subBits + 1) << subBits]uint64
	total  uint64
	max    time.Duration
}

func bucketOf(nanos uint64) int {
	if nanos < 1<<subBits {
		return int(nanos)
	}
	shift := bits.Len64(nanos) - subBits - 1
	return (shift+1)<<subBits + int(nanos>>shift) - 1<<subBits
}

// lowestOf is the smallest value of a bucket: the inverse of bucketOf.
func lowestOf(bucket int) uint64 {
	if bucket < 1<<subBits {
		return uint64(bucket)
	}
	shift := bucket>>subBits - 1
	return uint64(bucket&(1<<subBits-1)+1<<subBits) << shift
}

// Record counts one latency.
func (h *Histogram) Record(d time.Duration) {
	if d < 0 {
		d = 0
	}
	h.counts[bucketOf(uint64(d))]++
	h.total++
	h.max = max(h.max, d)
}

// Merge adds the counts of other.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
	h.max = max(h.max, other.max)
}

// Quantile returns the latency below which the share q of all values lies; 0 when there is none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.total))
	if rank >= h.total {
		return h.max
	}
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen > rank {
			return time.Duration(lowestOf(i+1)+lowestOf(i)) / 2
		}
	}
	return h.max
}
