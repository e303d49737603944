// SPDX-License-Identifier: GPL-2.0-only

package comparison

import (
	"math"
	"strings"
	"testing"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// of returns a recording of n values from low up, a ns apart.
func of(name string, low int64, n int) *recording.Recording {
	d := analysis.NewDistribution()
	for i := range n {
		d.Record(low + int64(i))
	}
	r := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d}}
	r.Name, r.Latency = name, d.Summary()
	return r
}

func TestCompare(t *testing.T) {
	a, b := of("a", 1000, 1001), of("b", 1250, 1001)
	p, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if p.Median.A != 1500 || p.Median.B != 1750 || p.Max.A != 2000 || p.Max.B != 2250 || p.Median.NS() != 250 || len(p.Warnings) != 0 {
		t.Errorf("%+v", p)
	}
	if got, want := p.Median.Percent(), 100*250.0/1500; math.Abs(got-want) > 1e-9 {
		t.Errorf("percent %v, want %v", got, want)
	}
	if want := "a is faster than b: median 1500 ns against 1750 ns, 250 ns less (14.3 %), 95 % sure of "; !strings.HasPrefix(p.Sentence, want) {
		t.Errorf("%s; want %s", p.Sentence, want)
	}
	q, err := Compare(b, a)
	if err != nil || !strings.HasPrefix(q.Sentence, p.Sentence[:50]) {
		t.Errorf("the other way round: %v, %s", err, q.Sentence)
	}
	if same, _ := Compare(a, a); !strings.HasPrefix(same.Sentence, "no difference shown between a and a: median 1500 ns against 1500 ns") {
		t.Error(same.Sentence)
	}
	if _, err := Compare(a, of("none", 0, 0)); err == nil || !strings.HasPrefix(err.Error(), "compare none: ") {
		t.Errorf("without values: %v", err)
	}
	if d := (Difference{A: 0, B: 5}); !math.IsNaN(d.Percent()) {
		t.Errorf("percent of nothing: %v", d.Percent())
	}
}

func TestWarnings(t *testing.T) {
	a, b := of("a", 1000, 1000), of("b", 1000, 50)
	a.Clock, b.Clock = "virtual", "real"
	a.Host = recording.Host{Kernel: "6.12", KernelBuild: "x", Lab: map[string]string{"qemu": "7.2", "image_sha256": "1"}}
	b.Host = recording.Host{Kernel: "6.1", KernelBuild: "y", Lab: map[string]string{"qemu": "10.0", "image_sha256": "2"}}
	a.Effective.Placement, b.Effective.Placement = "same", "other"
	a.Config.PeriodNS, b.Config.PeriodNS = 1e8, 5e6
	b.Counts.Lost = 3
	b.HasRun = false
	p, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Setup, "|"), "placement: same, other|period: 100ms, 5ms"; got != want {
		t.Errorf("setup %s, want %s", got, want)
	}
	want := []string{
		"the figures may not compare, clock: virtual, real",
		"the figures may not compare, kernel: 6.12, 6.1",
		"the figures may not compare, lab qemu: 7.2, 10.0",
		"b: kernel, CPU and clock are not known",
		"b: only 50 samples",
		"b: 3 lost signals are in none of its figures",
	}
	if got := strings.Join(p.Warnings, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("warnings:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

// TestFiguresOnly compares with an input that tells no median.
func TestFiguresOnly(t *testing.T) {
	a, b := of("a", 1000, 1001), of("b", 1, 1001)
	b.HasRun, b.Dist, b.Latency.P50, b.Latency.P99, b.Latency.P999 = false, nil, 0, 0, 0
	for i, c := range []struct {
		a, b *recording.Recording
		want string
	}{
		{a, b, "no difference shown between a and b: no median is known of b."},
		{b, a, "no difference shown between b and a: no median is known of b."},
		{b, b, "no difference shown between b and b: no median is known of b."},
	} {
		p, err := Compare(c.a, c.b)
		if err != nil || p.Verdict != None || p.Sentence != c.want {
			t.Fatalf("%d: %v, %s: %s, want %s", i, err, p.Verdict, p.Sentence, c.want)
		}
		if p.Median.Known() || p.P99.Known() || p.P999.Known() || !p.Max.Known() || !math.IsNaN(p.Median.Percent()) {
			t.Errorf("%d: %+v", i, p)
		}
	}
}

func TestWideDifferences(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{
		{math.MinInt64, math.MaxInt64, math.MaxInt64},
		{math.MaxInt64, math.MinInt64, math.MinInt64},
		{0, math.MinInt64, math.MinInt64},
		{-1, math.MaxInt64, math.MaxInt64},
		{1, math.MaxInt64, math.MaxInt64 - 1},
	} {
		if got := (Difference{A: c.a, B: c.b}).NS(); got != c.want {
			t.Errorf("%d - %d = %d, want %d", c.b, c.a, got, c.want)
		}
	}
	one := func(name string, v int64) *recording.Recording {
		r := of(name, v, 1)
		r.Latencies().RecordN(v, 9)
		return r
	}
	if p, err := Compare(one("a", math.MaxInt64), one("b", math.MinInt64)); err != nil || p.Median.Of.High != math.MinInt64 {
		t.Errorf("%v: %+v", err, p)
	}
}

// TestFewValues: the range of five values holds the median with less than 95 %.
func TestFewValues(t *testing.T) {
	p, err := Compare(of("a", 1000, 5), of("b", 5000, 500))
	const want = "no difference shown between a and b: median 1002 ns against 5249 ns, of 5 and 500 values, too few for an interval, p = 0.00012."
	if err != nil || p.Verdict != None || p.Median.Of != nil || p.Max.Of != nil || p.Sentence != want {
		t.Errorf("%v: %s: %s", err, p.Verdict, p.Sentence)
	}
	if p, err = Compare(of("a", 1000, 6), of("b", 5000, 500)); err != nil || p.Verdict != AFaster || p.Median.Of == nil {
		t.Errorf("%v: %s: %s", err, p.Verdict, p.Sentence)
	}
}
