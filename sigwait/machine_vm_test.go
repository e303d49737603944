// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package sigwait

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// machine tells whether this machine is the one that a test is for. The tests
// of siglab boot such machines.
func machine(name string) bool { return os.Getenv("SIGWAIT_TEST_MACHINE") == name }

// TestSuspend suspends the machine in the middle of a run, as far as the
// kernel's own test of it goes (Documentation/power/basic-pm-debugging.rst):
// tasks frozen, devices and all CPUs but one off, clocks stopped, then back.
func TestSuspend(t *testing.T) {
	if !machine("suspend") { // waiting there for a second takes a minute
		return
	}
	write(t, "/sys/power/pm_test", "core")
	write(t, "/sys/module/suspend/parameters/pm_test_delay", "1") // s
	c := kernelBase()
	c.CPU = 0
	back := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { write(t, "/sys/power/state", "mem"); close(back) })
	_, res := measure(t, context.Background(), c)
	<-back
	told := slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.HasPrefix(w, "the machine was suspended for ") })
	if n := res.Counts; !told || n.Sent != c.Count || n.Lost != 0 || !res.Complete {
		t.Errorf("complete %v, counts %+v, warnings %q", res.Complete, n, res.Warnings)
	}
}

// TestIsolated receives on the CPU of isolcpus=1, and on the other one.
func TestIsolated(t *testing.T) {
	if !machine("isolcpus=1") {
		return
	}
	if got := isolatedCPUs(); !slices.Equal(got, []int{1}) {
		t.Fatalf("isolated CPUs %v", got)
	}
	before := affinities(t)
	for cpu := range 2 {
		c := kernelBase()
		c.CPU = cpu
		var there int // threads that may run on the isolated CPU
		res, err := Run(context.Background(), c, func(Effective) { there = len(mayRunOn(t, 1)) }, func([]Sample) {})
		if err != nil || res.Counts.Lost != 0 || res.Counts.WrongCPU != 0 || there != cpu {
			t.Errorf("CPU %d: %d threads may run on CPU 1, %v, %+v", cpu, there, err, res.Counts)
		}
	}
	if after := affinities(t); !slices.Equal(after, before) {
		t.Errorf("affinities before %v, after %v", before, after)
	}
}
