// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"siglat/analysis"
	"siglat/analysis/comparison"
	"siglat/analysis/recording"
)

// names writes the comparisons as "dimension: runs of A - runs of B".
func names(list []Comparison) []string {
	var out []string
	for _, c := range list {
		side := func(s Side) string {
			var n []string
			for _, r := range s.Runs {
				n = append(n, r.Name)
			}
			return strings.Join(n, "+")
		}
		out = append(out, fmt.Sprintf("%s: %s - %s", c.Dimension, side(c.A), side(c.B)))
	}
	return out
}

func TestComparisonsOfArticle(t *testing.T) {
	want := []string{
		"placement: blocked-same - blocked-other",
		"policy: blocked-same - blocked-same-fifo",
		"receiver: blocked-other - busy-other",
		"receiver: blocked-same-fifo - busy-same-fifo",
	}
	got := Comparisons(article())
	if !slices.Equal(names(got), want) {
		t.Fatalf("comparisons %q, want %q", names(got), want)
	}
	for _, c := range got {
		note := strings.Contains(strings.Join(c.Notes, ";"), "the periods differ: 100\u00a0ms for blocked (sigwait), 5\u00a0ms for busy")
		if note != (c.Dimension == Receiver) {
			t.Errorf("%s: notes %q", c.Dimension, c.Notes)
		}
		if len(c.Warnings) != 0 {
			t.Errorf("%s: warnings %q", c.Dimension, c.Warnings)
		}
	}
	// The order of the runs does not decide which side is the base.
	runs := article()
	slices.Reverse(runs)
	for _, c := range Comparisons(runs) {
		if c.A.Label == "other CPU" || realTime(c.A.Label) || c.A.Label == "busy" {
			t.Errorf("%s: base is %s", c.Dimension, c.A.Label)
		}
	}
}

// on returns a run as lab makes it, on another kernel.
func on(kernel string, rt bool, context string, r *recording.Recording) *recording.Recording {
	r.Host.Kernel, r.Host.PreemptRT, r.Effective.Context = kernel, rt, context
	r.Host.Lab["image_sha256"] = kernel
	r.Name += " " + kernel
	return r
}

func TestComparisonsOfKernels(t *testing.T) {
	same := func() *recording.Recording { return lab("same", "same", "other", "sigwait", 100, 5863) }
	runs := []*recording.Recording{
		on("6.12.57+deb12-amd64", false, "softirq", same()),
		on("6.12.57+deb12-rt-amd64", true, "thread", same()),
		on("6.1.0-41-amd64", false, "softirq", same()),
		on("6.1.0-41-rt-amd64", true, "thread", same()),
	}
	want := []string{
		"kernel: same 6.12.57+deb12-amd64 - same 6.12.57+deb12-rt-amd64",
		"kernel: same 6.1.0-41-amd64 - same 6.12.57+deb12-amd64", // older first
		"kernel: same 6.1.0-41-rt-amd64 - same 6.12.57+deb12-rt-amd64",
		"kernel: same 6.1.0-41-amd64 - same 6.1.0-41-rt-amd64",
	}
	got := Comparisons(runs)
	if !slices.Equal(names(got), want) {
		t.Fatalf("comparisons %q, want %q", names(got), want)
	}
	if c := got[0]; c.A.Label != "stock" || c.B.Label != "PREEMPT_RT" || len(c.Warnings) != 0 ||
		!slices.Contains(c.Notes, "signals are sent from softirq for stock, from thread for PREEMPT_RT") {
		t.Errorf("stock against PREEMPT_RT: labels %q and %q, warnings %q, notes %q", c.A.Label, c.B.Label, c.Warnings, c.Notes)
	}
	if c := got[1]; c.A.Label != "6.1.0-41-amd64" {
		t.Errorf("versions: base is labelled %q", c.A.Label)
	}
}

func TestNoComparison(t *testing.T) {
	two := lab("two", "other", "fifo", "sigwait", 100, 2) // differs from the first in two dimensions
	empty := lab("empty", "other", "other", "sigwait", 100, 5)
	empty.Latency, empty.Dist = analysis.Summary{}, nil
	imported := &recording.Recording{Run: recording.Run{Name: "imported", Latency: analysis.Summary{Count: 9}}}
	floating := lab("floating", "floating", "other", "sigwait", 100, 5)
	priority := lab("priority", "other", "fifo", "sigwait", 100, 2)
	priority.Effective.Priority = 80
	source := lab("source", "other", "other", "sigwait", 100, 5)
	source.Config.Source = "user"
	runs := []*recording.Recording{lab("one", "same", "other", "sigwait", 100, 5000), two, empty, imported, floating, priority, source}
	if got := Comparisons(runs); len(got) != 0 {
		t.Errorf("comparisons %q, want none", names(got))
	}
	if got := Comparisons(nil); len(got) != 0 {
		t.Errorf("comparisons of nothing: %q", names(got))
	}
}

func TestDuplicatesArePooled(t *testing.T) {
	runs := append(article()[:2], article()[:2]...)
	got := Comparisons(runs)
	if want := []string{"placement: blocked-same+blocked-same - blocked-other+blocked-other"}; !slices.Equal(names(got), want) {
		t.Fatalf("comparisons %q, want %q", names(got), want)
	}
	single := Comparisons(runs[:2])[0]
	if c := got[0]; c.A.Count != 2000 || c.A.MedianNS != single.A.MedianNS || math.Abs(c.A.MeanNS-single.A.MeanNS) > 1e-6 {
		t.Errorf("pooled %d samples, median %d, mean %v; want 2000, %d, %v", c.A.Count, c.A.MedianNS, c.A.MeanNS, single.A.MedianNS, single.A.MeanNS)
	}
	// Other names are other runs, as long as they are few.
	runs[2].Name, runs[3].Name = "other-2", "same-2"
	if got := Comparisons(runs); len(got) != 4 {
		t.Errorf("%d comparisons of two runs against two, want 4: %q", len(got), names(got))
	}
	var many []*recording.Recording
	for i := range 6 {
		for _, r := range article()[:2] {
			r.Name += fmt.Sprint(i)
			many = append(many, r)
		}
	}
	if got := Comparisons(many); len(got) != 1 || len(got[0].A.Runs) != 6 {
		t.Errorf("%q, want one comparison with six runs a side", names(got))
	}
}

// A pair from one environment is preferred; where there is none, the pair
// says what differs.
func TestEnvironments(t *testing.T) {
	runs := article()[:2]
	runs[1].Clock, runs[1].Host.Hostname, runs[1].Host.CPUModel = "real", "target", "Ryzen"
	runs[1].Host.Lab = map[string]string{"qemu": "10.0"}
	got := Comparisons(runs)
	if len(got) != 1 {
		t.Fatalf("%q, want one comparison", names(got))
	}
	all := strings.Join(got[0].Warnings, "\n")
	for _, what := range []string{"clock differs", "host differs", "CPU model differs", "QEMU version differs", "virtual CPU differs", "kernel image differs"} {
		if !strings.Contains(all, what) {
			t.Errorf("no warning %q in %q", what, all)
		}
	}
	runs = append(runs, article()[1])
	runs[2].Name = "blocked-same-here"
	if got := Comparisons(runs); len(got) != 1 || got[0].A.Runs[0].Name != "blocked-same-here" || len(got[0].Warnings) != 0 {
		t.Errorf("%q, want the pair of one environment alone", names(got))
	}
	runs[0].Counts.Lost = 2
	if got := Comparisons(runs); !strings.Contains(strings.Join(got[0].Warnings, ""), "other CPU: 2 of 1000 signals lost") {
		t.Errorf("lost signals not in the warnings: %q", got[0].Warnings)
	}
}

func TestSentences(t *testing.T) {
	side := func(label string, median int64, mean float64, highest int64) Side {
		return Side{Label: label, MedianNS: median, MeanNS: mean, MaxNS: highest}
	}
	for _, c := range []struct {
		a, b Side
		want string
	}{
		{side("same CPU", 6000, 6500, 9000), side("other CPU", 8000, 8500, 10000),
			"Same CPU is faster than other CPU: median 6.000 µs against 8.000 µs, 2.000 µs (25 %) less; the mean agrees, 6.500 µs against 8.500 µs."},
		{side("OTHER", 8000, 8500, 9000), side("FIFO 40", 6000, 6500, 10000),
			"FIFO 40 is faster than OTHER: median 6.000 µs against 8.000 µs, 2.000 µs (25 %) less; the mean agrees, 6.500 µs against 8.500 µs; but its maximum is higher, 10.00 µs against 9.000 µs."},
		{side("OTHER", 8000, 8500, 9000), side("FIFO 40", 6000, 9500, 10000),
			"FIFO 40 is faster than OTHER: median 6.000 µs against 8.000 µs, 2.000 µs (25 %) less; but its mean is higher, 9.500 µs against 8.500 µs, and so is its maximum, 10.00 µs against 9.000 µs."},
		{side("stock", 6000, 6500, 9000), side("PREEMPT_RT", 6000, 6400, 9000),
			"Stock and PREEMPT_RT have the same median, 6.000 µs; their means are 6.500 µs and 6.400 µs."},
	} {
		got := sentence(Comparison{A: c.a, B: c.b, MedianDiffNS: c.b.MedianNS - c.a.MedianNS}, nil)
		if strings.ReplaceAll(got, "\u00a0", " ") != c.want {
			t.Errorf("sentence\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestDifferencesAndRatios(t *testing.T) {
	c := newComparison(Placement,
		Side{Label: "a", Runs: article()[:1], MeanNS: 5000, MedianNS: 4000},
		Side{Label: "b", Runs: article()[1:2], MeanNS: 6000, MedianNS: 3000})
	if c.MeanDiffNS != 1000 || c.MeanRatio != 1.2 || c.MedianDiffNS != -1000 || c.MedianRatio != 0.75 {
		t.Errorf("differences %v and %v, ratios %v and %v", c.MeanDiffNS, c.MedianDiffNS, c.MeanRatio, c.MedianRatio)
	}
	if r := ratio(5, 0); !math.IsNaN(r) || times(r) != "–" {
		t.Errorf("ratio to nothing: %v, written %q", r, times(r))
	}
}

func TestVersionLess(t *testing.T) {
	order := []string{"5.10.0-30-amd64", "6.1.0-41-amd64", "6.12.5-amd64", "6.12.57+deb12-amd64", "7.3.1"}
	for i, a := range order {
		for j, b := range order {
			if got := versionLess(a, b); got != (i < j) {
				t.Errorf("versionLess(%s, %s) = %v", a, b, got)
			}
		}
	}
}

// TestVerdict: the report claims no more than sigreport compare does.
func TestVerdict(t *testing.T) {
	of := func(name, placement string, latencies ...int64) *recording.Recording {
		r := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{recording.SegmentLatency: analysis.NewDistribution()}}
		for i, ns := range latencies {
			r.Latencies().RecordN(ns, uint64(4+i%2))
		}
		r.Name, r.Latency = name, r.Latencies().Summary()
		r.Effective = recording.Effective{Receiver: "sigwait", Policy: "other", Placement: placement, CPUs: []int{1}}
		return r
	}
	for _, c := range []struct {
		a, b []int64
		want string
	}{
		{[]int64{5000, 6000, 9000, 9500}, []int64{5100, 6400, 8000, 9900}, "No difference shown between same CPU and other CPU: median 6.000 µs against 6.400 µs, with 95 % confidence a difference from "},
		{[]int64{5000}, []int64{8000}, "No difference shown between same CPU and other CPU: median 5.000 µs against 8.000 µs, of 4 and 4 samples, too few for an interval."},
		{[]int64{5000, 5001, 5002, 5003}, []int64{8000, 8001, 8002, 8003}, "Same CPU is faster than other CPU: median 5.001 µs against 8.001 µs, 3.000 µs (37.5 %) less, 95 % sure of "},
	} {
		a, b := of("a", "same", c.a...), of("b", "other", c.b...)
		all := Comparisons([]*recording.Recording{a, b})
		if len(all) != 1 || !strings.HasPrefix(strings.ReplaceAll(all[0].Sentence, "\u00a0", " "), c.want) {
			t.Errorf("%+v, want %s", all, c.want)
			continue
		}
		p, err := comparison.Compare(a, b)
		if err != nil || (p.Verdict == comparison.None) != strings.HasPrefix(all[0].Sentence, "No difference") {
			t.Errorf("%v: %s, report %s", err, p.Verdict, all[0].Sentence)
		}
		b.Effective.DMALatencyUS = new(int32)
		if all := Comparisons([]*recording.Recording{a, b}); len(all) != 0 {
			t.Errorf("two set-ups that differ twice: %+v", all)
		}
	}
}
