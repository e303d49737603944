// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"siglat/analysis/recording"
)

// TestLoads: who shares the time of a CPU with a competitor waits for a tick
// of the scheduler, of 4 ms, again and again; with real-time priority he does
// not, and neither does who is alone.
func TestLoads(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	args := []string{"run", "--plan", "../../scripts/plans/loads", "-o", out, "--sigwait", built(t, "sigwait", buildWait)}
	for _, name := range []string{"busy-alone", "busy-other", "busy-fifo"} {
		args = append(args, "--only", name)
	}
	if _, stderr, code := siglab(t, args...); code != 0 {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	run := func(name string) *recording.Recording {
		rec, err := recording.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-16s median %7d, p90 %7d, maximum %7d ns, load %s", name, rec.Latency.P50, rec.Latency.P90, rec.Latency.Max, rec.Host.Lab["load"])
		return rec
	}
	alone, other, fifo := run("busy-alone"), run("busy-other"), run("busy-fifo")
	const tick = int64(4 * time.Millisecond)
	if l := other.Latency; l.Max < tick*8/10 || l.P90 < tick/2 || l.Max < 20*alone.Latency.Max || l.Max < 100*fifo.Latency.Max {
		t.Errorf("busy, with a competitor: %+v; alone %+v; at real-time priority %+v", l, alone.Latency, fifo.Latency)
	}
	if a, b := alone.Host.Lab["load"], fifo.Host.Lab["load"]; a != "" || !strings.HasPrefix(b, "--cpu 0 stress-ng ") {
		t.Errorf("loads %q, %q", a, b)
	}
}

// TestLoadFails: a run whose load did not last is no result.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan")
	if err := os.WriteFile(plan, []byte("@load stress-ng --no-such-option\na: --cpu 0 --count 100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := siglab(t, "run", "--plan", plan, "-o", filepath.Join(dir, "out"), "--sigwait", built(t, "sigwait", buildWait))
	if code != 1 || !strings.Contains(stderr, "the load ended before the run, with status 1") || !strings.Contains(stderr, "no-such-option") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}
