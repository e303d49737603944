// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"errors"
	"fmt"
	"math"
	"time"

	"siglat/analysis/recording"
)

// A Course is a run over time.
type Course struct {
	Name   string
	Slices []recording.Slice  // in ascending order
	Worst  []recording.Sample // highest latency first; may be empty
}

// MostSlices is how many slices a picture shows next to each other.
const MostSlices = 240

// CourseOf reads the time line of a recording's latencies. It fails with
// [recording.ErrNoTimeline] where the input tells no times.
func CourseOf(r *recording.Recording) (Course, error) {
	slices, err := r.Timeline(recording.SegmentLatency, MostSlices)
	if err != nil {
		return Course{}, fmt.Errorf("plot %s: %w", r.Name, err)
	}
	return Course{Name: r.Name, Slices: slices, Worst: r.Worst}, nil
}

// check fails where nothing can be drawn over time.
func (c Course) check(o Options) error {
	if len(c.Slices) == 0 {
		return errors.New("plot: no intervals to draw")
	}
	return o.check([]Series{{}})
}

// end is the time of the last interval or sample.
func (c Course) end() time.Duration {
	end := time.Duration(1)
	for _, s := range c.Slices {
		end = max(end, s.End)
	}
	for _, w := range c.Worst {
		end = max(end, time.Duration(w.ReceivedNS))
	}
	return end
}

// span is that of all latencies above 0, on a logarithmic axis with a margin
// at either end; ok is false when there are none. A budget is part of it, or
// else told by the note.
func (c Course) span(o *Options) (r span, note string, ok bool) {
	lo, hi := int64(math.MaxInt64), int64(0)
	for _, s := range c.Slices {
		if s.Dist.Max() <= 0 {
			continue
		}
		hi = max(hi, s.Dist.Max())
		if low := s.Dist.Min(); low > 0 {
			lo = min(lo, low)
			continue
		}
		for b := range s.Dist.Buckets() {
			if b.High > 0 {
				lo = min(lo, max(b.Low, 1))
				break
			}
		}
	}
	if hi == 0 {
		return r, "", false
	}
	note = o.settle(float64(hi))
	if o.BudgetNS > 0 {
		lo, hi = min(lo, o.BudgetNS), max(hi, o.BudgetNS)
	}
	if o.ranged() && o.MaxNS > 0 {
		return span{float64(max(o.MinNS, 1)), float64(o.MaxNS)}, note, true
	}
	return widened(float64(lo), float64(hi)), note, true
}

// widened adds a margin on a logarithmic axis.
func widened(lo, hi float64) span {
	m := math.Pow(max(hi/lo, 1.05), 0.05)
	return span{lo / m, hi * m}
}
