// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"maps"
	"slices"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// samples are single values of a thread.
type samples struct{ d *analysis.Distribution }

// addSample counts a value in ns of a thread.
func (s *source) addSample(of map[int]*samples, thread int, ns int64) {
	s.addThread(of, thread)
	of[thread].d.Record(ns)
}

func (s *source) addThread(of map[int]*samples, thread int) {
	if of[thread] == nil {
		of[thread] = &samples{analysis.NewDistribution()}
	}
}

// sampled returns a recording for each thread.
func (s *source) sampled(format string, of map[int]*samples) ([]*recording.Recording, error) {
	var out []*recording.Recording
	for _, thread := range slices.Sorted(maps.Keys(of)) {
		rec := s.recordingOf(of[thread].d)
		rec.Name = fmt.Sprintf("%s:thread%d", s.name, thread)
		rec.Import = &recording.Import{Format: format}
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return out, nil
}
