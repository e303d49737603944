// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"encoding/json"
	"testing"

	"siglat/analysis/recording"
)

// A run that Prometheus may read has the latencies of one that it may not: but
// for where in the tick it began, which moves the median by some ten
// nanoseconds.
func TestMetricsCostNothing(t *testing.T) {
	t.Parallel()
	median := func(more ...string) int64 {
		args := append([]string{"exec", "--", built(t, "sigwait", buildWait), "--json", "--cpu", "0", "--timer-cpu", "0", "-n", "300", "--period", "10ms"}, more...)
		stdout, stderr, code := siglab(t, args...)
		var run recording.Run
		if err := json.Unmarshal([]byte(stdout), &run); err != nil || code != 0 || run.Counts.Received != 300 {
			t.Fatalf("code %d, %v, stderr %q, stdout %.300s", code, err, stderr, stdout)
		}
		return run.Latency.P50
	}
	without, with := median(), median("--metrics", ":9464")
	if d := max(with, without) - min(with, without); d > without/200 {
		t.Errorf("median %d ns, with metrics %d ns", without, with)
	}
	t.Logf("median %d ns, with metrics %d ns", without, with)
}
