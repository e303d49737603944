// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"siglat/analysis"
)

// members returns recordings of random values of all sizes, and the values of
// each segment.
func members(rng *rand.Rand) (recs []*Recording, values map[string][]int64) {
	values = map[string][]int64{}
	for i := range 1 + rng.IntN(6) {
		r := &Recording{Path: "runs/" + string(rune('a'+i)), HasRun: true, Dist: map[string]*analysis.Distribution{}}
		r.Run = Run{Name: "m", ElapsedNS: rng.Int64N(1e12), Complete: true, Clock: "real", Host: Host{Kernel: "6.12", Arch: []string{"x86_64", "aarch64"}[i%2]}}
		if i != 1 {
			r.Start = time.Unix(1_700_000_000+rng.Int64N(3), 0).UTC()
		}
		r.Config.CPU, r.Effective.TimerCPU = i%2, 1
		for _, s := range []string{SegmentLatency, SegmentTimer}[:1+rng.IntN(2)] {
			d := analysis.NewDistribution()
			for range 1 + rng.IntN(300) {
				v := int64(rng.Uint64()) >> rng.IntN(63)
				d.Record(v)
				values[s] = append(values[s], v)
			}
			r.Dist[s] = d
		}
		r.Latency = r.Latencies().Summary()
		r.Counts = Counts{Sent: r.Latency.Count + 3, Received: r.Latency.Count, Lost: 2, Refused: uint64(i)}
		for range rng.IntN(4) {
			r.Worst = append(r.Worst, Sample{Seq: rng.Uint64(), LatencyNS: rng.Int64N(5)})
		}
		slices.SortFunc(r.Worst, func(a, b Sample) int { return int(b.LatencyNS - a.LatencyNS) })
		r.Warnings = []string{"the same", r.Path}
		recs = append(recs, r)
	}
	return recs, values
}

func merge(t *testing.T, recs []*Recording) (dir string, files [2]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "all")
	var m Merger
	for _, r := range recs {
		if err := m.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Write(dir, &Run{Name: "all"}); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{RunFile, LogFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(b)
	}
	return dir, files
}

// TestMerge merges in several orders: all files are the same to the byte, and
// the sums are those of the values, one by one.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 20 {
		recs, values := members(rng)
		dir, files := merge(t, recs)
		for range 3 {
			rng.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
			if _, again := merge(t, recs); again != files {
				t.Fatalf("the order of merging shows:\n%s\n%s", files[0], again[0])
			}
		}
		merged, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		checkValues(t, merged, values)
		var want Counts
		elapsed := int64(0)
		for _, r := range recs {
			want.add(r.Counts)
			elapsed += r.ElapsedNS
		}
		n := uint64(len(recs))
		if merged.Counts != want || want.Lost != 2*n || want.Refused != n*(n-1)/2 || want.Sent != want.Received+3*n || merged.ElapsedNS != elapsed || uint64(len(merged.Members)) != n {
			t.Errorf("counts %+v of %d members in %d ns, want %+v in %d ns", merged.Counts, len(merged.Members), merged.ElapsedNS, want, elapsed)
		}
		if n > 1 && (merged.Host.Arch != "" || merged.Config.CPU != -1) || merged.Host.Kernel != "6.12" || merged.Effective.TimerCPU != 1 {
			t.Errorf("facts in common: %+v, %+v", merged.Host, merged.Config)
		}
		// The intervals hold the members, and add up to the same.
		if err := os.Remove(filepath.Join(dir, RunFile)); err != nil {
			t.Fatal(err)
		}
		if merged, err = Open(dir); err != nil {
			t.Fatal(err)
		}
		checkValues(t, merged, values)
		if got := strings.Count(files[1], "\n"+exactPrefix+"latency,"); got != len(recs) {
			t.Errorf("%d intervals of %d members", got, len(recs))
		}
	}
}

func checkValues(t *testing.T, r *Recording, values map[string][]int64) {
	t.Helper()
	if len(r.Dist) != len(values) {
		t.Errorf("segments %v", r.Dist)
	}
	for name, all := range values {
		whole, sum, squares := analysis.NewDistribution(), new(big.Int), new(big.Int)
		for _, v := range all {
			whole.Record(v)
			sum.Add(sum, big.NewInt(v))
			squares.Add(squares, new(big.Int).Mul(big.NewInt(v), big.NewInt(v)))
		}
		m := r.Dist[name].Moments()
		if !r.Dist[name].Equal(whole) || m.Count != uint64(len(all)) || m.Min != slices.Min(all) || m.Max != slices.Max(all) || m.Sum.Cmp(sum) != 0 || m.Squares.Cmp(squares) != 0 {
			t.Errorf("%s: %v, want %v", name, m, whole.Moments())
		}
	}
}

func TestMergeWorst(t *testing.T) {
	d := analysis.NewDistribution()
	d.Record(7)
	start := time.Unix(1_700_000_000, 0).UTC()
	of := func(path string, at time.Time, latencies ...int64) *Recording {
		r := &Recording{Run: Run{Name: path, Start: at}, Path: path, HasRun: true, Dist: map[string]*analysis.Distribution{SegmentLatency: d}}
		for _, l := range latencies {
			r.Worst = append(r.Worst, Sample{LatencyNS: l, ReceivedNS: l})
		}
		return r
	}
	dir, _ := merge(t, []*Recording{of("b", start.Add(time.Hour), 9, 5, 2), of("a", start, 8, 5)})
	merged, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Sample{{LatencyNS: 9, ReceivedNS: 3600e9 + 9}, {LatencyNS: 8, ReceivedNS: 8}, {LatencyNS: 5, ReceivedNS: 5}}
	if !slices.EqualFunc(merged.Worst, want, func(a, b Sample) bool {
		return a.LatencyNS == b.LatencyNS && a.ReceivedNS == b.ReceivedNS
	}) {
		t.Errorf("worst %+v, want %+v", merged.Worst, want)
	}
	if !merged.Start.Equal(start) || merged.Members[0].Name != "a" || merged.Members[1].Name != "b" {
		t.Errorf("start %v, members %+v", merged.Start, merged.Members)
	}
}

func TestMergeErrors(t *testing.T) {
	one := &Recording{Run: Run{Name: "one"}, Path: "one", HasRun: true, Dist: map[string]*analysis.Distribution{SegmentLatency: analysis.NewDistribution()}}
	figures := &Recording{Run: Run{Latency: analysis.Summary{Count: 5}}, Path: "figures", HasRun: true}
	open := &Recording{Path: "open", Dist: one.Dist}
	open.Import = &Import{OverflowOpen: true}
	var m Merger
	for _, c := range []struct {
		recs []*Recording
		want string
	}{
		{[]*Recording{one, figures}, "merge figures: it holds no distribution of latencies"},
		{[]*Recording{one, open}, "merge open: it does not tell how many values lie beyond its classes"},
	} {
		if err := m.Add(c.recs...); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := m.Write(t.TempDir(), &Run{}); err == nil || err.Error() != "merge: no recordings" {
		t.Errorf("a part of an input was kept: %v", err)
	}
	if err := m.Add(one); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(finished(t), &Run{}); err == nil || !strings.Contains(err.Error(), "already holds a run") {
		t.Errorf("over a run: %v", err)
	}
}
