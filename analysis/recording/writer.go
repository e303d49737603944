// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"siglat/analysis"
)

// Names of the files in a run directory.
const (
	RunFile     = "run.json"
	LogFile     = "latency.hlog"
	SamplesFile = "samples.txt"
)

// Options say what a [Writer] writes and where.
type Options struct {
	Dir      string        // made when it does not exist
	Samples  bool          // write samples.txt too
	Interval time.Duration // of latency.hlog, noted in its head; 0 is a second
	Start    time.Time     // wall clock at offset 0 of the intervals; zero is now
	about    string        // first line of latency.hlog; empty tells the interval
}

// A Writer writes a run directory in constant memory: a histogram per segment
// and interval to latency.hlog as the run goes on, and run.json at its end.
// When the process dies, all intervals written until then can be read. It is
// not safe for concurrent use.
type Writer struct {
	dir, made  string // made: the directory that Create made, empty when it was there
	log        *hlogWriter
	logFile    *os.File
	samples    *bufio.Writer
	sampleFile *os.File
	segments   []*segment
	err        error // first failure of samples.txt
	kept       bool  // something was recorded that is worth keeping
	number     []byte
}

type segment struct {
	name            string
	interval, total *analysis.Distribution
}

// Create makes a run directory. It refuses one that already holds a run
// (fs.ErrExist).
func Create(o Options) (*Writer, error) {
	for _, name := range []string{RunFile, LogFile, SamplesFile} {
		path := filepath.Join(o.Dir, name)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return nil, fmt.Errorf("create run %s: it already holds a run (%s); choose another directory: %w", o.Dir, name, fs.ErrExist)
		case errors.Is(err, syscall.ENOTDIR):
			return nil, fmt.Errorf("create run %s: it, or a folder above it, is a file; choose another directory", o.Dir)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("create run: %w; choose another directory", err)
		}
	}
	w := &Writer{dir: o.Dir}
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		w.made = o.Dir
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	if err := w.open(o); err != nil {
		w.Close()
		return nil, fmt.Errorf("create run: %w", err)
	}
	return w, nil
}

func (w *Writer) open(o Options) (err error) {
	if w.logFile, err = create(w.dir, LogFile); err != nil {
		return err
	}
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	if o.Interval == 0 {
		o.Interval = time.Second
	}
	if o.about == "" {
		o.about = fmt.Sprintf("Signal latencies in ns, an interval every %v", o.Interval)
	}
	w.log = newHlogWriter(w.logFile)
	if err := w.log.head(o.Start, o.about); err != nil || !o.Samples {
		return err
	}
	if w.sampleFile, err = create(w.dir, SamplesFile); err != nil {
		return err
	}
	w.samples = bufio.NewWriterSize(w.sampleFile, 64<<10)
	return nil
}

func create(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

func (w *Writer) segment(name string) *segment {
	for _, s := range w.segments {
		if s.name == name {
			return s
		}
	}
	s := &segment{name, analysis.NewDistribution(), analysis.NewDistribution()}
	w.segments = append(w.segments, s)
	return s
}

// Record counts a value of a segment, in ns, in the interval in progress. A
// value of [SegmentLatency] also goes to samples.txt. Failures to write are
// reported by the next Interval or Finish.
func (w *Writer) Record(segment string, ns int64) {
	s := w.segment(segment)
	s.interval.Record(ns)
	s.total.Record(ns)
	w.kept = true
	if w.samples != nil && segment == SegmentLatency && w.err == nil {
		w.number = append(strconv.AppendInt(w.number[:0], ns, 10), '\n')
		_, w.err = w.samples.Write(w.number)
	}
}

// Add counts all values of d in a segment, in the interval in progress.
func (w *Writer) Add(segment string, d *analysis.Distribution) {
	s := w.segment(segment)
	s.interval.Merge(d)
	s.total.Merge(d)
	w.kept = true
}

// Total returns all values of a segment until now. It must not be changed.
func (w *Writer) Total(segment string) *analysis.Distribution {
	return w.segment(segment).total
}

// Interval ends the interval in progress and hands its histograms to the
// operating system. Start and end are offsets from the start of the run. A
// segment without values gets no histogram.
func (w *Writer) Interval(start, end time.Duration) error {
	for _, s := range w.segments {
		if s.interval.Count() == 0 {
			continue
		}
		if err := w.log.interval(s.name, s.interval, start, end); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
		s.interval.Reset()
	}
	if err := w.log.flush(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return w.flushSamples()
}

func (w *Writer) flushSamples() error {
	if w.samples == nil {
		return nil
	}
	if w.err == nil {
		w.err = w.samples.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("write run: %w", w.err)
	}
	return nil
}
