// SPDX-License-Identifier: GPL-2.0-only

package plots

import "siglat/analysis/recording"

// SeriesOf returns the latencies of a recording. What was lost is known for
// run directories only; their start is left out in virtual time, where every
// calendar begins on the same day.
func SeriesOf(r *recording.Recording) Series {
	s := Series{Name: r.Name, Dist: r.Dist[recording.SegmentLatency]}
	if r.HasRun {
		lost := r.Counts.Lost
		s.Lost = &lost
		if r.Clock != "virtual" {
			s.Start = r.Start
		}
	}
	return s
}
