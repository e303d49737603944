// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"maps"
	"slices"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// distributionOf returns the values in ns of a thread, none at first.
func distributionOf(of map[int]*analysis.Distribution, thread int) *analysis.Distribution {
	if of[thread] == nil {
		of[thread] = analysis.NewDistribution()
	}
	return of[thread]
}

// sampled returns a recording for each thread.
func (s *source) sampled(format string, of map[int]*analysis.Distribution) ([]*recording.Recording, error) {
	var out []*recording.Recording
	for _, thread := range slices.Sorted(maps.Keys(of)) {
		rec := s.recordingOf(of[thread])
		rec.Name = fmt.Sprintf("%s:thread%d", s.name, thread)
		rec.Import = &recording.Import{Format: format}
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read %s: empty: no latencies in it", s.path)
	}
	return out, nil
}
