// SPDX-License-Identifier: GPL-2.0-only

package plots

import "siglat/analysis/recording"

// SeriesOf returns the latencies of a recording. What was lost is known for
// run directories only.
func SeriesOf(r *recording.Recording) Series {
	s := Series{Name: r.Name, Dist: r.Dist[recording.SegmentLatency]}
	if r.HasRun {
		lost := r.Counts.Lost
		s.Lost = &lost
	}
	return s
}
