// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
	"siglat/plots"
)

// TestExplained: the medians of the article's blocked receivers consist of what
// their parts take by themselves, to within 10 %.
func TestExplained(t *testing.T) {
	t.Parallel()
	program := built(t, "sigwait", buildWait)
	out := t.TempDir()
	if _, stderr, code := siglab(t, "run", "--plan", "../../scripts/plans/article", "-o", out, "--sigwait", program,
		"--only", "blocked-other", "--only", "blocked-same"); code != 0 {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	stdout, stderr, code := siglab(t, "exec", "--kernel", "6.12", "--", program, "baseline", "--json",
		"--period", "100ms", "--count", "50", "--procs", "2", "--kib", "0", "--repeats", "3")
	if code != 0 {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	b := new(baseline.Baseline)
	if err := json.Unmarshal([]byte(stdout), b); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blocked-other", "blocked-same"} {
		r, err := recording.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		r.Baseline = b
		e, ok := plots.ExplanationOf(r)
		t.Logf("%s: median %d ns: %+v, unknown %d; floor %+v", name, e.MedianNS, e.Parts, e.UnknownNS, e.Floor)
		if !ok || len(e.Parts) < 4 || math.Abs(float64(e.UnknownNS)) > 0.10*float64(e.MedianNS) {
			t.Errorf("%s is not explained", name)
		}
		if e.Floor.NS <= 0 || e.Floor.NS >= e.MedianNS {
			t.Errorf("%s has the floor %+v", name, e.Floor)
		}
	}
}
