// SPDX-License-Identifier: GPL-2.0-only

//go:build soak

package main

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"siglat/analysis/recording"
)

// recorded runs sigwait with a signal each 10 µs and returns the recording and
// the most memory that the process had, in KiB.
func recorded(t *testing.T, count int) (*recording.Recording, int64) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command("sigwait", "--source", "user", "--period", "10us", "-n", strconv.Itoa(count), "-q", "-o", dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	rec, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := rec.Counts
	if !rec.Complete || n.Sent+n.Refused != uint64(count) || n.Received+n.Lost != n.Sent || rec.Latency.Count+n.Invalid != n.Received {
		t.Errorf("%d asked for, %+v, %d latencies", count, n, rec.Latency.Count)
	}
	t.Logf("%d signals: %+v", count, n)
	return rec, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// TestSoak records ten seconds, then 100 s, of a signal each 10 µs: every loss
// is counted, and memory does not grow with the number of samples.
func TestSoak(t *testing.T) {
	_, before := recorded(t, 10_000)
	recorded(t, 1_000_000)
	_, after := recorded(t, 10_000_000)
	t.Logf("memory after 10 thousand samples %d KiB, after 10 million %d KiB", before, after)
	// What the collector leaves between two collections is below that; the
	// samples would be 80 MB.
	if after > before+6<<10 {
		t.Errorf("memory grew from %d to %d KiB", before, after)
	}
}
