// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"siglat/analysis"
	"siglat/analysis/baseline"
)

// ErrNoRun means that a directory holds neither run.json nor latency.hlog.
var ErrNoRun = errors.New("no run in this directory")

// A Recording is a run as read: from a run directory, or imported from
// another tool's file. An imported one has Name, Counts, Latency and Warnings
// only.
type Recording struct {
	Run
	Path   string
	Dist   map[string]*analysis.Distribution // by segment; SegmentLatency is there when the input holds a distribution
	HasRun bool                              // run.json was there, and it is not an import

	Baseline *baseline.Baseline // of the machine, nil where it was not measured
	sources  map[string]source  // by segment, of those read from one text
}

// Latencies returns the distribution of the latency, nil when the input holds
// none.
func (r *Recording) Latencies() *analysis.Distribution { return r.Dist[SegmentLatency] }

// Open reads a run directory. Without run.json, as after a kill -9, it
// recovers what latency.hlog holds, with Complete false and a warning. It
// fails with ErrNoRun when neither is there.
func Open(dir string) (*Recording, error) {
	r := &Recording{Path: dir}
	err := r.readRun(filepath.Join(dir, RunFile))
	switch {
	case err == nil:
		r.HasRun = r.Import == nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if r.Baseline, err = baseline.Read(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, LogFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.Version == 0:
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("open run: %w", err)
		}
		return nil, fmt.Errorf("open run %s: %w: neither %s nor %s", dir, ErrNoRun, RunFile, LogFile)
	case errors.Is(err, fs.ErrNotExist):
		r.Dist = map[string]*analysis.Distribution{}
		r.Warnings = append(r.Warnings, LogFile+" is missing: no distribution, figures from "+RunFile)
		return r, nil
	case err != nil:
		return nil, fmt.Errorf("open run: %w", err)
	}
	defer f.Close()
	if r.Version == 0 {
		return r, r.recover(f)
	}
	if r.Dist, r.sources, err = readTotals(f); err != nil {
		return nil, err
	}
	if err := r.agree(); err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return r, nil
}

// ReadRun reads run.json alone of a run directory.
func ReadRun(dir string) (*Run, error) {
	var r Recording
	if err := r.readRun(filepath.Join(dir, RunFile)); err != nil {
		return nil, err
	}
	return &r.Run, nil
}

// agree fails when the histograms and run.json are not of the same run.
func (r *Recording) agree() error {
	d := r.Latencies()
	if d == nil {
		if r.Import != nil {
			return nil // it has only figures
		}
		d = analysis.NewDistribution()
	}
	if n := d.Count(); n != r.Latency.Count {
		return fmt.Errorf("it holds %d latencies, %s says %d", n, RunFile, r.Latency.Count)
	}
	if r.Import != nil {
		return nil // minimum and maximum are finer than its classes
	}
	if d.Min() != r.Latency.Min || d.Max() != r.Latency.Max {
		return fmt.Errorf("latencies are from %d to %d ns, %s says from %d to %d", d.Min(), d.Max(), RunFile, r.Latency.Min, r.Latency.Max)
	}
	return nil
}

// maxRunFile bounds run.json; a real one is a few kB.
const maxRunFile = 16 << 20

func (r *Recording) readRun(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open run: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRunFile))
	if err != nil {
		return fmt.Errorf("open run: %w", err)
	}
	if err := json.Unmarshal(b, &r.Run); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if r.Version != Version {
		return fmt.Errorf("read %s: version %d, this program knows version %d", path, r.Version, Version)
	}
	return nil
}

// recover fills r from the intervals of a run that was never finished.
func (r *Recording) recover(f *os.File) error {
	abs, err := filepath.Abs(r.Path)
	if err != nil {
		return fmt.Errorf("open run: %w", err)
	}
	r.Name = filepath.Base(abs)
	cut := 0
	r.Dist, cut, err = readIntervals(f)
	if err != nil {
		return err
	}
	r.Segments = map[string]analysis.Summary{}
	for name, d := range r.Dist {
		r.Segments[name] = d.Summary()
	}
	r.Latency = r.Segments[SegmentLatency]
	r.Counts.Received = r.Latency.Count
	note := RunFile + " is missing: the run was killed or its disk was full; figures from " + LogFile + ", the last interval and the lost signals are unknown"
	if cut > 0 {
		note += "; its last line is cut off"
	}
	r.Warnings = append(r.Warnings, note)
	return nil
}
