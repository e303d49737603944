// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package sigwait

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// kernel is a run of the module on the timer's CPU.
func kernel(receiver string) Config {
	c := Config{Source: SourceKernel, Receiver: receiver, Device: "/dev/siglat", CPU: 0, TimerCPU: 0,
		Policy: PolicyOther, Period: 20 * time.Millisecond, Count: 100, Clock: ClockMonotonic, Context: ContextAuto}
	if receiver == "busy" || receiver == "poll" {
		c.Period = 2 * time.Millisecond // spinning costs real time
	}
	return c
}

// median returns the median latency.
func median(samples []Sample) int64 {
	var l []int64
	for _, s := range samples {
		l = append(l, s.LatencyNS)
	}
	slices.Sort(l)
	return l[len(l)/2]
}

func TestKernelSource(t *testing.T) {
	for _, name := range Receivers() {
		for _, cpu := range []int{0, 1} {
			for _, fifo := range []int{0, 40} {
				c := kernel(name)
				c.CPU = cpu
				if fifo > 0 {
					c.Policy, c.Priority = PolicyFIFO, fifo
				}
				all, res := measure(t, context.Background(), c)
				if n := res.Counts; n.Sent != c.Count || n.Lost != 0 || n.Invalid != 0 || n.WrongCPU != 0 {
					t.Errorf("%s on CPU %d, FIFO %d: %+v", name, cpu, fifo, n)
				}
				t.Logf("%s on CPU %d, FIFO %d: %s, median %d ns", name, cpu, fifo, res.Effective.Context, median(all))
			}
		}
	}
}

func TestSegments(t *testing.T) {
	for _, name := range Receivers() {
		c := kernel(name)
		c.Segments = true
		all, res := measure(t, context.Background(), c)
		if n := res.Counts; n.Lost != 0 || n.EventDrops != 0 {
			t.Errorf("%s: %+v", name, n)
		}
		for _, s := range all {
			if name != "read" && !s.HasParts || s.TimerNS < 0 || s.ModuleNS < 0 || s.LatencyNS <= 0 {
				t.Fatalf("%s: sample %+v", name, s)
			}
		}
	}
}

// TestLongLatency stops this process for longer than the nanosecond field of
// a signal can tell; the module goes on.
func TestLongLatency(t *testing.T) {
	c := kernel("sigwait")
	c.Count, c.Period, c.Segments = 10, 100*time.Millisecond, true
	var all []Sample
	started := func(Effective) { stopFor(t, 1500*time.Millisecond) }
	res, err := Run(context.Background(), c, started, func(b []Sample) { all = append(all, b...) })
	if err != nil {
		t.Fatal(err)
	}
	longest := int64(0)
	for _, s := range all {
		longest = max(longest, s.LatencyNS)
	}
	if n := res.Counts; n.Received != c.Count || n.Lost != 0 || n.Invalid != 0 || longest < int64(time.Second) {
		t.Errorf("%+v, the longest latency %d ns", n, longest)
	}
}

// stopFor lets a child stop this process after 50 ms and continue it later.
func stopFor(t *testing.T, d time.Duration) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "SIGWAIT_TEST_STOP="+d.String())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
}

// TestTwoProcesses has two programs receive at the same time on one CPU.
func TestTwoProcesses(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "SIGWAIT_TEST_RECEIVE=pause")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, res := measure(t, context.Background(), kernel("sigwait"))
	if n := res.Counts; n.Received != n.Sent || !res.Complete {
		t.Errorf("complete %v, %+v", res.Complete, n)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the other program: %v", err)
	}
}

// receiveAll is the other program of TestTwoProcesses.
func receiveAll(receiver string) int {
	c := kernel(receiver)
	res, err := Run(context.Background(), c, func(Effective) {}, func([]Sample) {})
	if err != nil || res.Counts.Received != c.Count {
		fmt.Fprintf(os.Stderr, "%+v, %v\n", res.Counts, err)
		return 1
	}
	return 0
}

func TestMain(m *testing.M) {
	if receiver := os.Getenv("SIGWAIT_TEST_RECEIVE"); receiver != "" {
		os.Exit(receiveAll(receiver))
	}
	d, err := time.ParseDuration(os.Getenv("SIGWAIT_TEST_STOP"))
	if err != nil {
		os.Exit(m.Run())
	}
	time.Sleep(50 * time.Millisecond)
	_ = unix.Kill(os.Getppid(), unix.SIGSTOP)
	time.Sleep(d)
	_ = unix.Kill(os.Getppid(), unix.SIGCONT)
}
