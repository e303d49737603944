// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOriginalFigures checks the five figures of the original experiments, on
// files like theirs, one latency per line, to the last bit: number, minimum
// and maximum, and of mean and standard deviation that no other float64 is
// nearer, in integers and fractions alone.
func TestOriginalFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for trial, kind := range []struct {
		n   int
		max int64
	}{{1, 1000}, {2, 50_000}, {1000, 60_000}, {1000, 10_100_065}, {1000, math.MaxInt64}, {7, 3}, {200_000, 1_631_636}, {999_983, 212_225}} {
		path := filepath.Join(t.TempDir(), "latencies.txt")
		var text []byte
		values := make([]int64, kind.n)
		sum, squares := new(big.Int), new(big.Int)
		for i := range values {
			v := rng.Int64N(kind.max)
			if rng.IntN(10) > 0 { // most are in the lower tenth
				v /= 10
			}
			values[i] = v
			text = fmt.Appendln(text, v)
			b := big.NewInt(v)
			sum.Add(sum, b)
			squares.Add(squares, b.Mul(b, b))
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		checkRun(t, []string{"stats", "--json", path}, &out, 0, "")
		var got []struct {
			Latency struct {
				Count, Min, Max int64
				Mean, Stddev    float64
			} `json:"latency_ns"`
		}
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil || len(got) != 1 {
			t.Fatal(err, len(got))
		}
		l := got[0].Latency
		if l.Count != int64(kind.n) || l.Min != slices.Min(values) || l.Max != slices.Max(values) {
			t.Errorf("trial %d: %+v, want %d values from %d to %d", trial, l, kind.n, slices.Min(values), slices.Max(values))
		}
		n := big.NewInt(int64(kind.n))
		checkNearest(t, l.Mean, new(big.Rat).SetFrac(sum, n), func(x *big.Rat) *big.Rat { return x })
		variance := new(big.Rat) // (n*squares - sum^2) / (n*(n-1))
		if kind.n > 1 {
			num := new(big.Int).Mul(n, squares)
			num.Sub(num, new(big.Int).Mul(sum, sum))
			variance.SetFrac(num, new(big.Int).Mul(n, big.NewInt(int64(kind.n-1))))
		}
		checkNearest(t, l.Stddev, variance, func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) })
	}
}

// checkNearest fails unless want, as of shows it, lies between the middles of
// got and its neighbours.
func checkNearest(t *testing.T, got float64, want *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Helper()
	middle := func(to float64) *big.Rat {
		x := new(big.Rat).SetFloat64(got)
		x.Add(x, new(big.Rat).SetFloat64(math.Nextafter(got, to)))
		return of(x.Mul(x, big.NewRat(1, 2)))
	}
	exact := want.Cmp(of(new(big.Rat).SetFloat64(got))) == 0
	if !exact && (got <= 0 || middle(0).Cmp(want) > 0 || middle(math.Inf(1)).Cmp(want) < 0) {
		f, _ := want.Float64()
		t.Errorf("%v is not the nearest to %v (as printed, or its square)", got, f)
	}
}
