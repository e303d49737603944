// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package blame

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// traceForever is what a program without the module does, until it is killed.
func traceForever() {
	tracer, err := Open("/dev/none", []int{0, 1})
	for err == nil {
		fmt.Println("traces")
		time.Sleep(time.Millisecond)
		err = tracer.Fill()
	}
	fmt.Println(err)
	os.Exit(1)
}

// TestKilled kills a process that traces by tracefs: the next one that does
// removes what it left.
func TestKilled(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "BLAME_TEST_TRACEFS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for range 20 {
		if !said.Scan() || said.Text() != "traces" {
			t.Fatalf("said %q", said.Text())
		}
	}
	name := instancePrefix + strconv.Itoa(cmd.Process.Pid)
	events := filepath.Join(tracefsPath, "instances", name, "events/sched/sched_switch/enable")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if left := instances(t); len(left) != 1 || left[0] != name {
		t.Fatalf("a killed process leaves the instances %q", left)
	}
	if on, err := os.ReadFile(events); err != nil || string(on) != "1\n" {
		t.Errorf("it still traces: %q, %v", on, err)
	}
	c := config("")
	c.Source, c.CPUs, c.Segments, c.TimerCPU, c.Count = sigwait.SourceTimer, []int{0}, false, sigwait.AnyCPU, 10
	c.Device = "/dev/none"
	trace(t, c)
	if left := instances(t); len(left) != 0 {
		t.Errorf("instances %q are left after the next run", left)
	}
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
	if err := os.Remove(filepath.Join(tracefsPath, "instances", "other")); err != nil {
		t.Error(err)
	}
}
