// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"siglat/analysis"
)

// An IntervalLog writes histograms, one for each name and interval, to an
// HdrHistogram interval log beside that of the run. It is not safe for
// concurrent use.
type IntervalLog struct {
	file  *os.File
	log   *hlogWriter
	names []string // sorted
	dist  map[string]*analysis.Distribution
}

// CreateIntervalLog makes the file in a run directory; it refuses one that is
// there (fs.ErrExist). Start is the wall clock at offset 0 of the intervals.
func CreateIntervalLog(dir, name, title string, start time.Time) (*IntervalLog, error) {
	f, err := create(dir, name)
	if err != nil {
		return nil, fmt.Errorf("create interval log: %w", err)
	}
	l := &IntervalLog{file: f, log: newHlogWriter(f), dist: map[string]*analysis.Distribution{}}
	if err := l.log.head(start, title); err != nil {
		return nil, errors.Join(fmt.Errorf("create interval log: %w", err), f.Close())
	}
	return l, nil
}

// Record counts a value, in ns, in the interval in progress. A name is a tag
// of the log: no commas, no spaces.
func (l *IntervalLog) Record(name string, ns int64) {
	d := l.dist[name]
	if d == nil {
		d = analysis.NewDistribution()
		l.dist[name], l.names = d, append(l.names, name)
		slices.Sort(l.names)
	}
	d.Record(ns)
}

// Interval ends the interval in progress, from one offset from the start to
// another, and hands it to the operating system.
func (l *IntervalLog) Interval(from, to time.Duration) error {
	for _, name := range l.names {
		d := l.dist[name]
		if d.Count() == 0 {
			continue
		}
		if err := l.log.interval(name, d, from, to); err != nil {
			return fmt.Errorf("write %s: %w", l.file.Name(), err)
		}
		d.Reset()
	}
	if err := l.log.flush(); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	return nil
}

// Close ends the file; what Interval has not written is gone.
func (l *IntervalLog) Close() error { return l.file.Close() }
