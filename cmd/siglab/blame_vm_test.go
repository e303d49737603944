// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"siglat/analysis/recording"
	"siglat/cmd/siglab/internal/kernel"
)

// testModule builds the module irqsoff for a kernel and returns its path.
func testModule(t *testing.T, name string) string {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	known, err := kernelNames([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	store := &kernel.Store{Root: root, Log: os.Stderr}
	state, err := store.Ensure(context.Background(), known[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/irqsoff")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", "-C", state.HeadersPath(), "M="+dir, "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the module irqsoff: %v\n%s", err, out)
	}
	return filepath.Join(dir, "irqsoff.ko")
}

// A task that keeps interrupts off makes the timer late, and is named.
func TestInterruptsOff(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"6.12", "6.12-rt"} {
		stdout, stderr, code := siglab(t, "exec", "--kernel", name, "--copy", testModule(t, name), "--copy", built(t, "sigwait", buildWait), "--",
			guestProgram(t), "late", "irqsoff.ko", "./sigwait", "--json", "--blame", "--cpu", "0", "--timer-cpu", "0", "--fifo", "40", "-n", "300", "--period", "10ms")
		var run recording.Run
		if err := json.Unmarshal([]byte(stdout), &run); err != nil || code != 0 {
			t.Fatalf("%s: code %d, %v, stderr %q, stdout %.300s", name, code, err, stderr, stdout)
		}
		late, longest := 0, int64(0)
		for _, s := range run.Longest {
			b, total := s.Blame, s.Parts[recording.SegmentTotal]
			if total < 80_000 {
				continue
			}
			late, longest = late+1, max(longest, b.PartsNS["timer"])
			// the work of the interrupt that was held off, the tick's often,
			// comes before the module's and is in its part
			if 2*b.PartsNS["timer"] < total || b.Interrupted == nil || b.Interrupted.Comm != "holder" || b.Culprit == nil || b.Culprit.Comm != "holder" {
				t.Errorf("%s: signal %d, %d ns: %+v", name, s.Seq, total, b)
			}
		}
		if late < 3 || longest < 500_000 || longest > 1_100_000 {
			t.Errorf("%s: %d signals were late, one by %d ns", name, late, longest)
		}
	}
}

// A run ends at the first signal that takes too long, with a trace that names
// who held it up.
func TestBreakAbove(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "exec", "--copy", testModule(t, kernel.Default), "--copy", built(t, "sigwait", buildWait), "--",
		guestProgram(t), "late", "irqsoff.ko", "./sigwait", "--json", "-o", "run", "--blame", "--break-above", "200us", "--cpu", "0", "--timer-cpu", "0", "--fifo", "40", "-n", "300", "--period", "10ms")
	var run recording.Run
	if err := json.Unmarshal([]byte(stdout), &run); err != nil || code != 3 {
		t.Fatalf("code %d, %v, stderr %q, stdout %.300s", code, err, stderr, stdout)
	}
	if len(run.Longest) == 0 || run.Counts.Received >= 300 {
		t.Fatalf("%d received; the longest are %+v", run.Counts.Received, run.Longest)
	}
	for i, s := range run.Longest {
		if total := s.Parts[recording.SegmentTotal]; total > 200_000 != (i == 0) {
			t.Errorf("signal %d of %d took %d ns", s.Seq, run.Counts.Received, total)
		}
	}
	if !regexp.MustCompile(`siglat: expires\n +holder-`).MatchString(stderr) || !strings.Contains(stderr, "which is above 200µs") {
		t.Errorf("stderr: %.2000s", stderr)
	}
}
