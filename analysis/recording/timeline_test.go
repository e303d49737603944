// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"siglat/analysis"
)

// intervals writes a run of n intervals of a second, of 1 to 3 latencies
// each, and returns its recording.
func intervals(t *testing.T, n int) *Recording {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for k := range i%3 + 1 {
			w.Record(SegmentLatency, int64(1000*i+k))
			w.Record(SegmentTimer, 7)
		}
		if err := w.Interval(time.Duration(i)*time.Second, time.Duration(i+1)*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(&Run{Name: "run", ElapsedNS: int64(n) * 1e9}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Slices are few, abut, and hold each latency once.
func TestTimeline(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 8, 9, 16, 17, 63, 100} {
		r := intervals(t, n)
		for _, most := range []int{2, 3, 8, 200} {
			slices, err := r.Timeline(SegmentLatency, most)
			if err != nil {
				t.Fatal(err)
			}
			if len(slices) > most || n <= most && len(slices) != n || n > most && len(slices) < most/2 {
				t.Errorf("%d intervals give %d slices, at most %d wanted", n, len(slices), most)
			}
			at, all := time.Duration(0), analysis.NewDistribution()
			for _, s := range slices {
				if s.Start != at || s.End <= s.Start {
					t.Errorf("%d intervals in %d: slice from %v to %v after %v", n, most, s.Start, s.End, at)
				}
				if low := s.Dist.Min(); low != 1000*int64(s.Start/time.Second) {
					t.Errorf("slice from %v begins at %d ns", s.Start, low)
				}
				at = s.End
				all.Merge(s.Dist)
			}
			if at != time.Duration(n)*time.Second || !all.Equal(r.Latencies()) {
				t.Errorf("%d intervals in %d slices: end at %v, %d of %d latencies", n, most, at, all.Count(), r.Latencies().Count())
			}
		}
	}
}

func TestTimelineOfSegmentAndImport(t *testing.T) {
	r := intervals(t, 5)
	slices, err := r.Timeline(SegmentTimer, 10)
	if err != nil || len(slices) != 5 || slices[4].Dist.Max() != 7 {
		t.Errorf("timer: %d slices, %v", len(slices), err)
	}
	imported := &Recording{Path: filepath.Join(r.Path, LogFile), Run: Run{Import: &Import{Format: "hlog", Tag: SegmentTimer}}}
	if slices, err := imported.Timeline(SegmentLatency, 10); err != nil || len(slices) != 5 || slices[0].Dist.Max() != 7 {
		t.Errorf("log alone: %d slices, %v", len(slices), err)
	}
	text := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(text, []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Recording{{Path: text}, {Path: "-"}, {}, {Path: text, Run: Run{Import: &Import{Format: "cyclictest"}}}} {
		if _, err := r.Timeline(SegmentLatency, 10); !errors.Is(err, ErrNoTimeline) {
			t.Errorf("%+v: error %v, want %v", r.Path, err, ErrNoTimeline)
		}
	}
	if _, err := r.Timeline(SegmentModule, 10); !errors.Is(err, ErrNoTimeline) {
		t.Errorf("segment that is not there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.Path, LogFile), []byte("Tag=latency,0,1,1,xyz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Timeline(SegmentLatency, 10); err == nil || errors.Is(err, ErrNoTimeline) {
		t.Errorf("broken log: %v", err)
	}
}
