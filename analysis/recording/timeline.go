// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"siglat/analysis"
)

// ErrNoTimeline means that an input does not tell when its latencies came.
var ErrNoTimeline = errors.New("no time line: the input holds no intervals")

// A Slice is a part of a run. Start and End count from the start of the run,
// on CLOCK_MONOTONIC.
type Slice struct {
	Start, End time.Duration
	Dist       *analysis.Distribution // ns
}

// Timeline reads the intervals of a segment in their order, and joins
// neighbours until there are at most that many, 2 or more; so it needs memory
// for those only, however long the run was. It fails with [ErrNoTimeline]
// where the input has no log of intervals, and when the log cannot be read.
func (r *Recording) Timeline(segment string, most int) ([]Slice, error) {
	path := filepath.Join(r.Path, LogFile)
	if r.Import != nil {
		if r.Import.Tag == "" || r.Path == "-" {
			return nil, ErrNoTimeline
		}
		path, segment = r.Path, r.Import.Tag
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || r.Path == "":
		return nil, ErrNoTimeline
	case err != nil:
		if fi, e := os.Stat(r.Path); e == nil && !fi.IsDir() {
			return nil, ErrNoTimeline
		}
		return nil, fmt.Errorf("read time line: %w", err)
	}
	defer f.Close()
	j := joiner{most: max(most, 2), stride: 1}
	// A log without an end is read up to its last whole interval, as [Open]
	// does.
	if _, err = eachInterval(path, f, func(i interval) error {
		if i.segment != segment {
			return nil
		}
		return j.add(i)
	}); err != nil {
		return nil, err
	}
	if len(j.slices) == 0 {
		return nil, ErrNoTimeline
	}
	return j.slices, nil
}

// A joiner keeps slices of stride intervals each.
type joiner struct {
	slices               []Slice
	most, stride, filled int // filled: intervals in the last slice
}

func (j *joiner) add(i interval) error {
	if len(j.slices) == 0 || j.filled == j.stride {
		if len(j.slices) == j.most {
			j.halve()
		}
	}
	if len(j.slices) == 0 || j.filled == j.stride {
		j.slices = append(j.slices, Slice{Start: i.start, Dist: analysis.NewDistribution()})
		j.filled = 0
	}
	last := &j.slices[len(j.slices)-1]
	j.filled++
	last.End = i.end
	return last.Dist.AddHDR(i.values, i.negatives, i.moments)
}

// halve joins neighbours in pairs; an odd last one waits for more.
func (j *joiner) halve() {
	half := j.slices[:0]
	for k := 0; k < len(j.slices); k += 2 {
		s := j.slices[k]
		if k+1 < len(j.slices) {
			s.Dist.Merge(j.slices[k+1].Dist)
			s.End = j.slices[k+1].End
		}
		half = append(half, s)
	}
	if len(j.slices)%2 == 0 {
		j.filled *= 2
	}
	clear(j.slices[len(half):])
	j.slices, j.stride = half, 2*j.stride
}
