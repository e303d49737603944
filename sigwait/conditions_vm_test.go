// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package sigwait

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func kernelBase() Config {
	c := base()
	c.Source, c.Device, c.Period = SourceKernel, "/dev/siglat", 5*time.Millisecond
	return c
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fails runs c, which must be refused with an error that holds a text.
func fails(t *testing.T, c Config, text string) {
	t.Helper()
	_, err := Run(context.Background(), c, func(Effective) { t.Errorf("%s: started", text) }, nil)
	if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want %q", err, text)
	}
}

// stepClock sets CLOCK_REALTIME on by a time.
func stepClock(t *testing.T, by time.Duration) {
	t.Helper()
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	if err == nil {
		to := unix.NsecToTimeval(now.Nano() + int64(by))
		err = unix.Settimeofday(&to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestClockStep(t *testing.T) {
	for _, source := range []Source{SourceKernel, SourceUser, SourceTimer} {
		for _, clock := range []Clock{ClockMonotonic, ClockRealtime} {
			for _, step := range []time.Duration{0, 700 * time.Millisecond, -300 * time.Millisecond} {
				c := kernelBase()
				if c.Source, c.Clock = source, clock; source == SourceTimer {
					c.Receiver = ""
				}
				if step != 0 {
					time.AfterFunc(300*time.Millisecond, func() { stepClock(t, step) })
				}
				all, res := measure(t, context.Background(), c)
				warned := slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, "CLOCK_REALTIME was set") })
				if want := step != 0 && clock == ClockRealtime; warned != want || len(res.Warnings) > 1 {
					t.Errorf("%s, %s, step %v: warnings %q", source, clock, step, res.Warnings)
				}
				if n := res.Counts; n.Lost != 0 || clock == ClockMonotonic && n.Invalid != 0 || !res.Complete {
					t.Errorf("%s, %s, step %v: complete %v, counts %+v", source, clock, step, res.Complete, n)
				}
				for _, s := range all {
					if clock == ClockMonotonic && s.LatencyNS > int64(100*time.Millisecond) {
						t.Errorf("%s, step %v: latency %d ns of the monotonic clock", source, step, s.LatencyNS)
					}
				}
			}
		}
	}
}

func TestDeadlinePolicy(t *testing.T) {
	want := Deadline{time.Millisecond, 4 * time.Millisecond, 5 * time.Millisecond}
	for _, source := range []Source{SourceKernel, SourceUser, SourceTimer} {
		c := kernelBase()
		if c.Source, c.Policy, c.Deadline = source, PolicyDeadline, want; source == SourceTimer {
			c.Receiver = ""
		}
		_, res := measure(t, context.Background(), c)
		if e := res.Effective; e.Policy != PolicyDeadline || e.Deadline != want || res.Counts.Lost != 0 {
			t.Errorf("%s: effective %+v, counts %+v", source, e, res.Counts)
		}
		c.CPU = 1
		fails(t, c, "all CPUs of its scheduling domain")
		c.CPU, c.Deadline = AnyCPU, Deadline{50 * time.Microsecond, 60 * time.Microsecond, 70 * time.Microsecond}
		fails(t, c, "sched_deadline_period_min_us")
	}
	// Two threads that hold nearly all that there is.
	end := make(chan struct{})
	held := make(chan error)
	for range 2 {
		thread(func() {
			held <- scheduleDeadline(Deadline{90 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond})
			<-end
		})
	}
	if err := errors.Join(<-held, <-held); err != nil {
		t.Fatal(err)
	}
	defer close(end)
	c := kernelBase()
	c.Policy, c.Deadline = PolicyDeadline, want
	fails(t, c, "no such share left")
}

func TestDMALatencyDevice(t *testing.T) {
	inForce := func() int32 {
		f, err := os.OpenFile(dmaLatencyDevice, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		value := make([]byte, 4)
		if _, err := f.ReadAt(value, 0); err != nil {
			t.Fatal(err)
		}
		return int32(binary.NativeEndian.Uint32(value))
	}
	before := inForce()
	c := kernelBase()
	us := int32(7)
	c.DMALatencyUS = &us
	during := int32(-1)
	res, err := Run(context.Background(), c, func(Effective) { during = inForce() }, func([]Sample) {})
	if err != nil || during != 7 || *res.Effective.DMALatencyUS != 7 || before <= 7 {
		t.Errorf("before %d, during %d, effective %+v, %v", before, during, res.Effective, err)
	}
	if after := inForce(); after != before {
		t.Errorf("before %d, after %d", before, after)
	}
}

func TestOfflineCPU(t *testing.T) {
	const switchFile = "/sys/devices/system/cpu/cpu1/online"
	write(t, switchFile, "0")
	c := kernelBase()
	c.CPU = 1
	fails(t, c, "not online")
	c.CPU, c.TimerCPU = AnyCPU, 1
	fails(t, c, "not online")
	c.TimerCPU = 0
	measure(t, context.Background(), c)
	write(t, switchFile, "1")
	if tids := mayRunOn(t, 1); len(tids) != len(threads()) {
		t.Errorf("only threads %v of %v may run on the CPU that was offline", tids, threads())
	}
	// The receiver's CPU goes while it waits: it moves, and that is counted.
	c.CPU = 1
	time.AfterFunc(300*time.Millisecond, func() { write(t, switchFile, "0") })
	_, res := measure(t, context.Background(), c)
	if n := res.Counts; n.WrongCPU == 0 || n.Lost != 0 || !res.Complete {
		t.Errorf("complete %v, counts %+v", res.Complete, n)
	}
	write(t, switchFile, "1")
}

func TestCpuset(t *testing.T) {
	const root, group = "/sys/fs/cgroup", "/sys/fs/cgroup/one"
	write(t, root+"/cgroup.subtree_control", "+cpuset")
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, group+"/cpuset.cpus", "0")
	write(t, group+"/cgroup.procs", "0")
	defer write(t, root+"/cgroup.procs", "0")
	c := kernelBase()
	c.CPU = 1
	fails(t, c, "not in this process's cpuset")
	c.CPU = 0
	_, res := measure(t, context.Background(), c)
	if res.Counts.WrongCPU != 0 || !slices.Equal(res.Effective.CPUs, []int{0}) {
		t.Errorf("effective %+v, counts %+v", res.Effective, res.Counts)
	}
	c.CPU = AnyCPU
	if _, res = measure(t, context.Background(), c); !slices.Equal(res.Effective.CPUs, []int{0}) {
		t.Errorf("unbound: effective %+v", res.Effective)
	}
}

const stopped = 1300 * time.Millisecond

// TestStopped is run by TestStopAndContinue as a process of its own.
func TestStopped(t *testing.T) {
	name := os.Getenv("SIGWAIT_TEST_STOPPED")
	if name == "" {
		return // there is nobody to stop this process
	}
	c := kernelBase()
	c.Receiver, c.Count, c.Segments = name, 500, name != "notify"
	longest := int64(0)
	res, err := Run(context.Background(), c, func(Effective) {}, func(batch []Sample) {
		for _, s := range batch {
			longest = max(longest, s.LatencyNS)
		}
	})
	// What comes while the process is stopped waits for it; os/signal keeps one.
	if n := res.Counts; err != nil || n.Sent != c.Count || n.Received+n.Lost != n.Sent || (n.Lost == 0) != (name != "notify") || !res.Complete {
		t.Errorf("complete %v, counts %+v, %v", res.Complete, n, err)
	}
	if name != "notify" && longest < int64(stopped)*9/10 {
		t.Errorf("longest latency %d ns, stopped for %v", longest, stopped)
	}
}

func TestStopAndContinue(t *testing.T) {
	for _, name := range Receivers() {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestStopped$")
		cmd.Env = append(os.Environ(), "SIGWAIT_TEST_STOPPED="+name)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		err := cmd.Process.Signal(unix.SIGSTOP)
		time.Sleep(stopped)
		err = errors.Join(err, cmd.Process.Signal(unix.SIGCONT), cmd.Wait())
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
