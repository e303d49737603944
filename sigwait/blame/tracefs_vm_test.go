// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package blame

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"siglat/sigwait"
)

// instances returns the instances of tracefs.
func instances(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(tracefsPath, "instances"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTracefs finds the hog without the module, removes what a killed process
// left, leaves another's alone, and leaves nothing behind.
func TestTracefs(t *testing.T) {
	pid := hog(t, 50)
	for _, name := range []string{"siglat-99999999", "other"} {
		if err := os.Mkdir(filepath.Join(tracefsPath, "instances", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := config("")
	c.Source, c.CPUs, c.Segments, c.TimerCPU = sigwait.SourceTimer, []int{0}, false, sigwait.AnyCPU
	c.Device = "/dev/none"
	late := 0
	for _, s := range trace(t, c) {
		sum := int64(0)
		for _, p := range s.Parts {
			if sum += p.NS; p.Name == Unknown || p.NS < 0 {
				t.Errorf("parts %v", s.Parts)
			}
		}
		if sum != s.LatencyNS {
			t.Errorf("parts %v are not %d ns", s.Parts, s.LatencyNS)
		}
		if s.LatencyNS < int64(time.Millisecond) {
			continue
		}
		late++
		if s.Culprit == nil || s.Culprit.PID != pid || s.Culprit.Name != hogName || s.Culprit.Priority != 50 || s.Before.PID != pid {
			t.Errorf("CPU %d, %d ns: %+v", s.CPU, s.LatencyNS, s.Verdict)
		}
	}
	if late < 5 {
		t.Errorf("only %d wake-ups were late by 1 ms", late)
	}
	if left := instances(t); len(left) != 1 || left[0] != "other" {
		t.Errorf("instances %q", left)
	}
}
