// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"siglat/analysis"
)

// write makes a run of three intervals with values of all sizes and returns
// its totals.
func write(t *testing.T, w *Writer) map[string]*analysis.Distribution {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]*analysis.Distribution{}
	for i := range 3 {
		for range 1000 {
			for _, s := range []string{SegmentLatency, SegmentTimer} {
				v := rng.Int64N(1 << (10 + rng.IntN(30)))
				if s == SegmentTimer && rng.IntN(4) == 0 {
					v = -v
				}
				if want[s] == nil {
					want[s] = analysis.NewDistribution()
				}
				want[s].Record(v)
				w.Record(s, v)
			}
		}
		if i == 2 {
			break
		}
		if err := w.Interval(time.Duration(i)*time.Second, time.Duration(i+1)*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

func sameDistributions(t *testing.T, got, want map[string]*analysis.Distribution) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d segments, want %d", len(got), len(want))
	}
	for name, w := range want {
		if g := got[name]; g == nil || !g.Equal(w) {
			t.Errorf("segment %s differs", name)
		}
	}
}

func TestWriteAndOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	w, err := Create(Options{Dir: dir, Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	want := write(t, w)
	run := &Run{Name: "x", Complete: true, Clock: "real", ElapsedNS: 3e9}
	if err := w.Finish(run); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !r.HasRun || !r.Complete || r.Name != "x" || len(r.Warnings) != 0 {
		t.Errorf("run %+v", r)
	}
	sameDistributions(t, r.Dist, want)
	if got := want[SegmentLatency].Summary(); got != r.Latency || run.Latency != got || r.Segments[SegmentLatency] != got {
		t.Errorf("summary %+v, %+v, want %+v", r.Latency, run.Latency, got)
	}
	b, err := os.ReadFile(filepath.Join(dir, SamplesFile))
	if err != nil || strings.Count(string(b), "\n") != 3000 {
		t.Errorf("samples.txt: %v, %d lines", err, strings.Count(string(b), "\n"))
	}
	if _, err := Create(Options{Dir: dir}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second Create: %v", err)
	}
	// The intervals say the same as the totals.
	if err := os.Remove(filepath.Join(dir, RunFile)); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if r.HasRun || r.Complete || r.Name != "run" || len(r.Warnings) != 1 {
		t.Errorf("recovered run %+v", r)
	}
	sameDistributions(t, r.Dist, want)
}

// TestLogIsHdrHistogram reads latency.hlog with the library's reader.
func TestLogIsHdrHistogram(t *testing.T) {
	dir := t.TempDir()
	start := time.Unix(1_700_000_000, 250e6)
	w, err := Create(Options{Dir: dir, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	want := write(t, w)
	if err := w.Finish(&Run{ElapsedNS: 3e9}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lr := hdrhistogram.NewHistogramLogReader(f)
	counts := map[string]int64{}
	lines := map[string]int64{}
	top := int64(0)
	for {
		h, err := lr.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		if got := h.StartTimeMs() - start.UnixMilli(); got != 1000*lines[h.Tag()] || h.EndTimeMs()-h.StartTimeMs() != 1000 {
			t.Errorf("interval of %s starts at %d ms, ends at %d", h.Tag(), got, h.EndTimeMs()-start.UnixMilli())
		}
		lines[h.Tag()]++
		counts[h.Tag()] += h.TotalCount()
		if h.Tag() == SegmentLatency {
			top = max(top, h.Max())
		}
	}
	timer := want[SegmentTimer]
	if counts[SegmentLatency] != 3000 || lines[SegmentLatency] != 3 ||
		counts[SegmentTimer]+counts[SegmentTimer+negativeSuffix] != int64(timer.Count()) || counts[SegmentTimer+negativeSuffix] == 0 {
		t.Errorf("counts %v in lines %v", counts, lines)
	}
	if d := want[SegmentLatency].Max(); top < d || top > d+d/16384 {
		t.Errorf("maximum %d, want %d", top, d)
	}
}

func TestCreateWhereAFileIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "run"), os.DevNull} {
		if _, err := Create(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "choose another directory") {
			t.Errorf("%s: error %v", dir, err)
		}
	}
}
