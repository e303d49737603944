// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"siglat/analysis/recording"
)

// built returns a program of this tree, built for this test run. The test
// binary itself cannot stand in for siglab: it would be the guests' init.
func built(t *testing.T, name string, once func() (string, error)) string {
	t.Helper()
	path, err := once()
	if err != nil {
		t.Fatalf("build %s: %v", name, err)
	}
	return path
}

func build(name, pkg string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		out, err := filepath.Abs(filepath.Join("../../build/test", name))
		if err != nil {
			return "", err
		}
		cmd := exec.Command("go", "build", "-trimpath", "-o", out, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if msg, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, msg)
		}
		return out, nil
	})
}

var (
	buildSiglab = build("siglab", ".")
	buildGuest  = build("guest", "./testdata/guest")
	buildWait   = build("sigwait", "../sigwait")
)

func guestProgram(t *testing.T) string { return built(t, "guest", buildGuest) }

// siglab runs the command.
func siglab(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(built(t, "siglab", buildSiglab), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestExecPassesAllThrough(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "exec", "--env", "GREETING=hello", "--", guestProgram(t), "talk", "a b", "c")
	if stdout != "to stdout [a b c]\n" || !strings.HasSuffix(stderr, "to stderr hello\n") || code != 42 {
		t.Errorf("stdout %q, stderr %q, code %d", stdout, stderr, code)
	}
}

func TestExecSignalDeath(t *testing.T) {
	t.Parallel()
	_, stderr, code := siglab(t, "exec", "--no-module", "--", guestProgram(t), "killed")
	if code != 128+15 {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestExecMuchOutputAndCopies(t *testing.T) {
	t.Parallel()
	guest := guestProgram(t)
	stdout, stderr, code := siglab(t, "exec", "--no-module", "--", guest, "much")
	if n := strings.Count(stdout, "\n"); n != 40000 || !strings.HasSuffix(stdout, "\nline 39999\n") || code != 0 {
		t.Errorf("%d lines, code %d, stderr %q", n, code, stderr)
	}
	_, stderr, code = siglab(t, "exec", "--copy", "missing.txt:sub/x", "--no-module", "--", guest, "cat", "main.go")
	if code != 1 || !strings.Contains(stderr, "missing.txt") {
		t.Errorf("missing copy: code %d, stderr %q", code, stderr)
	}
	want, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = siglab(t, "exec", "--copy", "main.go:sub/x", "--no-module", "--", guest, "cat", "sub/x")
	if stdout != string(want) || code != 0 {
		t.Errorf("copy: code %d, stderr %q, %d of %d bytes", code, stderr, len(stdout), len(want))
	}
}

func TestExecGuestIsWhole(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "exec", "--", guestProgram(t), "host")
	if strings.Contains(stdout, "false") || !strings.HasSuffix(stdout, "\nsiglab /home 2\n") || code != 0 {
		t.Errorf("code %d, stderr %q, stdout:\n%s", code, stderr, stdout)
	}
}

// A child that is left behind with outputs and device in its hands neither
// keeps the machine from ending nor the module from being unloaded.
func TestExecOrphan(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "exec", "--kernel", "6.12-rt", "--", guestProgram(t), "orphan")
	if stdout != "left\n" || code != 0 {
		t.Errorf("stdout %q, stderr %q, code %d", stdout, stderr, code)
	}
}

func TestExecCrashIsAnError(t *testing.T) {
	t.Parallel()
	_, stderr, code := siglab(t, "exec", "--", guestProgram(t), "crash")
	for _, want := range []string{"the guest's kernel reports trouble", "Kernel panic - not syncing: sysrq triggered crash"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	if code != 1 {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestExecHangIsKilled(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, stderr, code := siglab(t, "exec", "--timeout", "20s", "--", guestProgram(t), "forever")
	if code != 1 || !strings.Contains(stderr, "guest killed: no end after 20s; console: ") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	if took := time.Since(start); took < 20*time.Second {
		t.Errorf("killed after %v", took)
	}
}

func TestExecWrongModule(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "kernels", "--build", "6.12")
	if code != 0 {
		t.Fatalf("build: %s", stderr)
	}
	_, stderr, code = siglab(t, "exec", "--kernel", "6.12-rt", "--module", strings.TrimSpace(stdout), "--", "true")
	if code != 1 || !strings.Contains(stderr, "is for kernel 6.12.") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	_, stderr, code = siglab(t, "exec", "--module-args", "period_us=0", "--", guestProgram(t), "talk")
	if code != 1 || !strings.Contains(stderr, `guest: load module with parameters "period_us=0"`) {
		t.Errorf("bad parameter: code %d, stderr %q", code, stderr)
	}
}

// Two boots that keep both CPUs busy, at the same time, end at the same
// nanosecond of virtual time and leave the same console.
func TestVirtualTimeRepeats(t *testing.T) {
	t.Parallel()
	guest := guestProgram(t)
	dir := t.TempDir()
	type boot struct{ out, console string }
	boots := make(chan boot, 2)
	for _, name := range []string{"a", "b"} {
		console := filepath.Join(dir, name)
		go func() {
			out, stderr, code := siglab(t, "exec", "--console", console, "--", guest, "clock")
			if code != 0 {
				t.Errorf("code %d, stderr %q", code, stderr)
			}
			text, err := os.ReadFile(console)
			if err != nil {
				t.Error(err)
			}
			boots <- boot{out, string(text)}
		}()
	}
	a, b := <-boots, <-boots
	if a.out != b.out || a.out == "" {
		t.Errorf("outputs %q and %q", a.out, b.out)
	}
	if a.console != b.console {
		t.Error("consoles differ")
	}
}

func TestRealTime(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := siglab(t, "exec", "--kernel", "6.1", "--clock", "real", "--", guestProgram(t), "talk")
	if stdout != "to stdout []\n" || code != 42 {
		t.Errorf("stdout %q, stderr %q, code %d", stdout, stderr, code)
	}
}

// An ordinary C program for the module runs unchanged, asleep and spinning.
func TestPlainC(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "plain")
	gcc := exec.Command("gcc", "-static", "-O2", "-Wall", "-Werror", "-o", program, "testdata/c/plain.c")
	if msg, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, msg)
	}
	for _, mode := range [][]string{nil, {"spin"}} {
		args := append([]string{"exec", "--kernel", "6.12", "--", program}, mode...)
		stdout, stderr, code := siglab(t, args...)
		lines := strings.Fields(stdout)
		if code != 0 || len(lines) != 10 {
			t.Errorf("%v: code %d, %d lines, stderr %q", mode, code, len(lines), stderr)
		}
		for _, l := range lines {
			if len(l) < 4 || len(l) > 6 { // 1 to 999 microseconds of virtual time
				t.Errorf("%v: latency %s ns", mode, l)
			}
		}
	}
}

// A plan's good runs are there, whole, and only they; a bad one is an error
// that names it and does not stop the others.
func TestRunPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan")
	text := "bad: --cpu 77 -n 20\ngood: --cpu 1 --timer-cpu 0 -n 20 --period 10ms\n"
	if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs")
	_, stderr, code := siglab(t, "run", "--plan", plan, "-o", out, "--sigwait", built(t, "sigwait", buildWait))
	for _, want := range []string{"siglab: run bad failed: sigwait ended with status", "run good: done", "siglab: 1 of 2 runs failed"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	if code != 1 {
		t.Errorf("code %d", code)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 || entries[0].Name() != "good" {
		t.Fatalf("results: %v, %v", entries, err)
	}
	rec, err := recording.Open(filepath.Join(out, "good"))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Counts.Sent != 20 || rec.Counts.Received != 20 || rec.Clock != "virtual" || rec.Host.Lab["kernel"] != "6.12" {
		t.Errorf("counts %+v, clock %q, lab %v", rec.Counts, rec.Clock, rec.Host.Lab)
	}
}
