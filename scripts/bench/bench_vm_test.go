// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// builtPrograms builds those in Go.
func builtPrograms(t *testing.T) programs {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", dir, "siglat/cmd/siglab", "siglat/cmd/sigwait", "siglat/scripts/bench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, msg)
	}
	return programs{siglab: filepath.Join(dir, "siglab"), sigwait: filepath.Join(dir, "sigwait"), self: filepath.Join(dir, "bench")}
}

// The receivers in Go are not slower than the ones in C. This is a part of
// what make bench measures.
func TestNotSlowerThanC(t *testing.T) {
	t.Parallel()
	p := builtPrograms(t)
	p.receiver = filepath.Join(t.TempDir(), "receiver")
	inC, err := compile(context.Background(), "receiver.c", p.receiver)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	rows, err := p.measure(context.Background(), "6.12", []string{"sigwait", "pause", "busy"}, inC, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Log(r.line())
		if v, ok := r.ratio(0.5); !ok || v > limit {
			t.Errorf("%s: ratio of medians %.4f, above %.2f", r.cell, v, limit)
		}
	}
}
