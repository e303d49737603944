// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"io"
	"testing"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

// TestOverInvalid: signals without a valid latency may have been over any
// threshold, so that a gate does not pass.
func TestOverInvalid(t *testing.T) {
	d := analysis.NewDistribution()
	d.RecordN(5000, 10)
	r := &recording.Recording{HasRun: true, Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d}}
	r.Latency = d.Summary()
	recs := []*recording.Recording{r}
	if err := exceeds(recs, 6000); err != nil {
		t.Error(err)
	}
	r.Counts.Invalid = 2
	if low, high := over(r, 6000); low != 0 || high == nil || *high != 2 {
		t.Errorf("from %d to %v", low, high)
	}
	if code := cli.Report("sigreport", exceeds(recs, 6000), io.Discard); code != cli.ExitExceeded {
		t.Errorf("exit code %d", code)
	}
}
