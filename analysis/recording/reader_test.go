// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// finished writes a run and returns its directory.
func finished(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(Options{Dir: dir, Start: time.Unix(1_700_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	write(t, w)
	if err := w.Finish(&Run{Name: "x", ElapsedNS: 3e9}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestEveryCut ends latency.hlog at many places, as a kill does. What can be
// read is always a whole number of intervals, and never an error.
func TestEveryCut(t *testing.T) {
	dir := finished(t)
	whole, err := os.ReadFile(filepath.Join(dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, RunFile)); err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	cuts := []int{0, len(whole)}
	for i, b := range whole {
		if b == '\n' || i%997 == 0 {
			cuts = append(cuts, i, i+1)
		}
	}
	for _, n := range cuts {
		if err := os.WriteFile(filepath.Join(dir, LogFile), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
		}
		if c := r.Latency.Count; c%1000 != 0 || r.Counts.Received != c || r.Complete || len(r.Warnings) != 1 {
			t.Errorf("cut at %d of %d: %d latencies, warnings %q", n, len(whole), c, r.Warnings)
		} else {
			last = max(last, c)
		}
	}
	if last != 3000 {
		t.Errorf("at most %d latencies read", last)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(dir string) error
		want   string
	}{
		{"no directory", os.RemoveAll, "open run: stat "},
		{"nothing in it", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, RunFile)), os.Remove(filepath.Join(dir, LogFile)))
		}, "neither run.json nor latency.hlog"},
		{"another run's log", func(dir string) error {
			return edit(dir, RunFile, `"max": `, `"max": 1`)
		}, "latencies are from"},
		{"a wrong count", func(dir string) error {
			return edit(dir, RunFile, `"count": 3000`, `"count": 2999`)
		}, "it holds 3000 latencies, run.json says 2999"},
		{"a damaged total", func(dir string) error {
			return edit(dir, LogFile, "#[Total: latency,count=3000", "#[Total: latency,count=3001")
		}, "totals line 1: histogram holds 3000 values, its moments say 3001"},
		{"totals nowhere", func(dir string) error {
			return edit(dir, LogFile, "#[Totals at byte ", "#[Totals at byte 999999")
		}, "totals at byte"},
		{"a damaged interval", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, RunFile)), edit(dir, LogFile, "HISTFAA", "HISTF??"))
		}, "latency.hlog:6: decode histogram"},
		{"no interval", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, RunFile)), edit(dir, LogFile, "Tag=latency,0.000000,", "Tag=latency,"))
		}, "latency.hlog:7: 3 fields"},
		{"no times", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, RunFile)), edit(dir, LogFile, "Tag=latency,0.000000", "Tag=latency,NaN"))
		}, "are no times in seconds"},
	} {
		dir := finished(t)
		if err := c.damage(dir); err != nil {
			t.Fatal(c.name, err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// edit replaces the first occurrence of old in a file.
func edit(dir, name, old, with string) error {
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Contains(b, []byte(old)) {
		return errors.New(name + " does not hold " + old)
	}
	return os.WriteFile(path, bytes.Replace(b, []byte(old), []byte(with), 1), 0o644)
}

func TestMissingLog(t *testing.T) {
	dir := finished(t)
	if err := os.Remove(filepath.Join(dir, LogFile)); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil || r.Latencies() != nil || r.Latency.Count != 3000 || len(r.Warnings) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestForeignLog reads what the library's own writer wrote.
func TestForeignLog(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	lw := hdrhistogram.NewHistogramLogWriter(f)
	err = errors.Join(lw.OutputLogFormatVersion(), lw.OutputStartTime(1_700_000_000_000), lw.OutputLegend())
	for i := range int64(3) {
		h := hdrhistogram.New(1, 1_000_000, 3)
		h.SetStartTimeMs(1_700_000_000_000 + 1000*i)
		h.SetEndTimeMs(1_700_000_001_000 + 1000*i)
		err = errors.Join(err, h.RecordValues(500*(i+1), 10), lw.OutputIntervalHistogram(h))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Latency; l.Count != 30 || l.Min != 500 || l.Max != 1500 || l.Mean != 1000 {
		t.Errorf("%+v", l)
	}
}

func TestGivenUp(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "run")
	w, err := Create(Options{Dir: dir, Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run without a sample left %s: %v", dir, err)
	}
	// The directory is there before: it stays.
	w, err = Create(Options{Dir: parent})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := os.WriteFile(filepath.Join(parent, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(Options{Dir: filepath.Join(parent, "file")}); err == nil {
		t.Error("a file taken for a directory")
	}
}

// TestFullDisk lets latency.hlog and samples.txt run into ENOSPC.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{LogFile, SamplesFile} {
		dir := t.TempDir()
		w, err := Create(Options{Dir: dir, Samples: true})
		if err != nil {
			t.Fatal(err)
		}
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if name == LogFile {
			w.logFile.Close()
			w.logFile, w.log = full, newHlogWriter(full)
		} else {
			w.sampleFile.Close()
			w.sampleFile = full
			w.samples.Reset(full)
		}
		for range 200_000 {
			w.Record(SegmentLatency, 12345)
		}
		if err := w.Interval(0, time.Second); !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "write run: write /dev/full") {
			t.Errorf("%s full: Interval: %v", name, err)
		}
		if err := w.Finish(&Run{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s full: Finish: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, RunFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s full: run.json is there: %v", name, err)
		}
	}
}

func FuzzOpenLog(f *testing.F) {
	f.Add([]byte("#[Exact: latency,count=1,min=5,max=5,sum=5,squares=25]\nTag=latency,0,1,0.5,HISTFAAA\n"))
	f.Add([]byte("Tag=x.negative,0,1,0,AAAA\n#[Total: x,count=0]\n#[Totals at byte 0]\n"))
	f.Add([]byte("\"StartTimestamp\"\n0,1,2,\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, LogFile), b, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err == nil && (r.HasRun || len(r.Warnings) == 0) {
			t.Errorf("recovered without a word: %+v", r)
		}
	})
}

// BenchmarkRecord is the recorder's cost for each signal.
func BenchmarkRecord(b *testing.B) {
	w, err := Create(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for i := range int64(b.N) {
		w.Record(SegmentLatency, 5000+i&0xfff)
	}
}
