package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestQuantilesAreWithinTheResolutionOfSortedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	values := make([]time.Duration, 100_000)
	for i := range values {
		values[i] = time.Duration(random.ExpFloat64() * float64(3*time.Millisecond))
		h.Record(values[i])
	}
	slices.Sort(values)
	for _, q := range []float64{0, 0.5, 0.99, 0.999} {
		exact, got := values[int(q*float64(len(values)))], h.Quantile(q)
		if off := float64(got-exact) / float64(exact+1); off > 0.02 || off < -0.02 {
			t.Errorf("quantile %v: %v, sorted values say %v", q, got, exact)
		}
	}
	if h.Quantile(1) != values[len(values)-1] {
		t.Errorf("maximum: %v, want %v", h.Quantile(1), values[len(values)-1])
	}
}

func TestEveryValueLiesInItsBucket(t *testing.T) {
	for shift := range 62 {
		for _, v := range []uint64{1 << shift, 1<<shift + 1, 1<<(shift+1) - 1} {
			b := bucketOf(v)
			if lowestOf(b) > v || lowestOf(b+1) <= v {
				t.Errorf("%d in bucket %d: [%d, %d)", v, b, lowestOf(b), lowestOf(b+1))
			}
		}
	}
}
