// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestEncodeDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var e HDREncoder
	for trial := range 30 {
		d := distribution(random(rng, 1+rng.IntN(2000)))
		values, negatives := e.Encode(d)
		m := d.Moments()
		got := NewDistribution()
		if err := got.AddHDR(values, negatives, &m); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(d) {
			t.Errorf("trial %d: %v, want %v", trial, got.Moments(), m)
		}
		if back, err := ParseMoments(m.String()); err != nil || back.String() != m.String() {
			t.Errorf("moments %v read as %v: %v", m, back, err)
		}
		m.Count++
		if err := got.AddHDR(values, negatives, &m); err == nil {
			t.Error("wrong count accepted")
		}
		if !got.Equal(d) {
			t.Error("a failed AddHDR left something behind")
		}
	}
}

// TestEncodingAgainstLibrary compares with hdrhistogram-go, both ways.
func TestEncodingAgainstLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var e HDREncoder
	for _, top := range []int64{1, 100, 1 << 15, 1 << 20, 1 << 40, math.MaxInt64} {
		d := NewDistribution()
		lib := hdrhistogram.New(1, math.MaxInt64, SignificantDigits)
		for range 3000 {
			v, n := rng.Int64N(top), 1+rng.Int64N(1<<rng.IntN(40))
			d.RecordN(v, uint64(n))
			if err := lib.RecordValues(v, n); err != nil {
				t.Fatal(err)
			}
		}
		text, _ := e.Encode(d)
		h, err := hdrhistogram.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if h.TotalCount() != lib.TotalCount() || h.Max() != lib.Max() || h.Min() != lib.Min() || h.Mean() != lib.Mean() {
			t.Errorf("top %d: library reads count %d max %d, want %d, %d", top, h.TotalCount(), h.Max(), lib.TotalCount(), lib.Max())
		}
		for _, q := range []float64{1, 50, 99, 99.99} {
			if h.ValueAtPercentile(q) != lib.ValueAtPercentile(q) {
				t.Errorf("top %d: percentile %v differs", top, q)
			}
		}
		theirs, err := lib.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeHDR(theirs)
		if err != nil {
			t.Fatal(err)
		}
		m := d.Moments()
		if err := back.setMoments(m); err != nil || !back.Equal(d) {
			t.Errorf("top %d: library's histogram read as %v, want %v: %v", top, back.Moments(), m, err)
		}
	}
}

func TestDecodeForeignGeometry(t *testing.T) {
	h := hdrhistogram.New(1000, 3_600_000_000, 3)
	for i := range int64(10_000) {
		if err := h.RecordValue(1000 * (i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	d, err := DecodeHDR(text)
	if err != nil {
		t.Fatal(err)
	}
	if d.Count() != 10_000 || math.Abs(d.Mean()/h.Mean()-1) > 1e-3 || math.Abs(d.Stddev()/h.StdDev()-1) > 1e-3 || d.Max() != h.Max() {
		t.Errorf("count %d mean %v stddev %v max %d, want 10000, %v, %v, %d", d.Count(), d.Mean(), d.Stddev(), d.Max(), h.Mean(), h.StdDev(), h.Max())
	}
	for _, q := range []float64{0.1, 0.5, 0.99} {
		if got, want := float64(d.Quantile(q)), float64(h.ValueAtPercentile(q*100)); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
}

func FuzzDecodeHDR(f *testing.F) {
	var e HDREncoder
	for _, v := range [][]int64{{0}, {1, 1, 5}, {40_000, 1 << 41}, {math.MaxInt64}} {
		text, _ := e.Encode(distribution(v))
		f.Add(text)
	}
	h := hdrhistogram.New(10, 1_000_000, 2)
	_ = h.RecordValue(77)
	text, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	f.Add(text)
	f.Add([]byte("HISTFAAA"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := DecodeHDR(text)
		if err != nil {
			return
		}
		n := uint64(0)
		for b := range d.Buckets() {
			n += b.Count
		}
		if n != d.Count() || d.Min() > d.Max() {
			t.Errorf("buckets hold %d of %d values, %d to %d", n, d.Count(), d.Min(), d.Max())
		}
	})
}

func TestMomentsRejected(t *testing.T) {
	for _, s := range []string{
		"", "count=1", "count=1,min=1,max=1,sum=1,squares=1,", "count=1,min=2,max=1,sum=1,squares=1",
		"count=-1,min=1,max=1,sum=1,squares=1", "count=1,min=1,max=1,sum=x,squares=1", "count=01,min=1,max=1,sum=1,squares=1",
		"count=1,min=1,max=1,sum=1,squares=-1",
	} {
		if m, err := ParseMoments(s); err == nil {
			t.Errorf("%q read as %v", s, m)
		}
	}
}
