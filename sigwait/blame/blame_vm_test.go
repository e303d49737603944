// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package blame

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait"
)

const (
	device   = "/dev/siglat"
	hogName  = "the hog"
	hogTime  = 2 * time.Millisecond
	hogEvery = 37 * time.Millisecond
)

// TestMain makes this program a hog, or one that traces by tracefs, where it is
// told so by its environment.
func TestMain(m *testing.M) {
	if os.Getenv("BLAME_TEST_TRACEFS") != "" {
		traceForever()
	}
	priority, err := strconv.Atoi(os.Getenv("BLAME_TEST_HOG"))
	if err != nil {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(0)
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	if unix.SchedSetaffinity(0, &set) != nil || unix.SchedSetAttr(0, attr, 0) != nil || os.WriteFile("/proc/thread-self/comm", []byte(hogName), 0) != nil {
		os.Exit(1)
	}
	for {
		time.Sleep(hogEvery)
		for end := time.Now().Add(hogTime); time.Now().Before(end); {
			continue
		}
	}
}

// hog starts a task that takes CPU 0 again and again until the test ends.
func hog(t *testing.T, priority int) (pid int) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "BLAME_TEST_HOG="+strconv.Itoa(priority))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func config(receiver string) sigwait.Config {
	return sigwait.Config{Source: sigwait.SourceKernel, Receiver: receiver, Device: device, CPU: 0, TimerCPU: 0,
		Policy: sigwait.PolicyFIFO, Priority: 40, Period: 10 * time.Millisecond, Count: 300,
		Clock: sigwait.ClockMonotonic, Context: sigwait.ContextAuto, Segments: true}
}

// A judged sample has its verdict.
type judged struct {
	sigwait.Sample
	Verdict
}

// plain measures without a Tracer.
func plain(t *testing.T, c sigwait.Config) (all []judged) {
	t.Helper()
	res, err := sigwait.Run(context.Background(), c, func(sigwait.Effective) {}, func(batch []sigwait.Sample) {
		for _, s := range batch {
			all = append(all, judged{Sample: s})
		}
	})
	if err != nil || !res.Complete {
		t.Fatalf("complete %v, %v", res.Complete, err)
	}
	return all
}

// trace measures with a Tracer.
func trace(t *testing.T, c sigwait.Config) (all []judged) {
	t.Helper()
	return traceBy(t, c, c.Device)
}

func traceBy(t *testing.T, c sigwait.Config, by string) (all []judged) {
	t.Helper()
	var tracer *Tracer
	started := func(sigwait.Effective) {
		var err error
		if tracer, err = Open(by, []int{0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	res, err := sigwait.Run(context.Background(), c, started, func(batch []sigwait.Sample) {
		if err := tracer.Fill(); err != nil {
			t.Fatal(err)
		}
		for _, s := range batch {
			all = append(all, judged{s, tracer.Explain(Of(&s, c.Source))})
		}
	})
	if err != nil || !res.Complete || tracer.Lost() != 0 {
		t.Fatalf("complete %v, %d marks lost, %v", res.Complete, tracer.Lost(), err)
	}
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

func median(samples []judged) int64 {
	var l []int64
	for _, s := range samples {
		l = append(l, s.LatencyNS)
	}
	slices.Sort(l)
	return l[len(l)/2]
}

func TestHog(t *testing.T) {
	pid := hog(t, 50)
	late := 0
	for _, s := range trace(t, config("sigwait")) {
		sum := int64(0)
		for _, p := range s.Parts {
			sum += p.NS
		}
		if sum != s.TimerNS+s.ModuleNS+s.LatencyNS {
			t.Errorf("sample %d: parts %v are %d ns together, not %d", s.Seq, s.Parts, sum, s.TimerNS+s.ModuleNS+s.LatencyNS)
		}
		if s.LatencyNS < int64(time.Millisecond) {
			continue
		}
		late++
		if c := s.Culprit; c == nil || c.Name != hogName || c.PID != pid || c.Priority != 50 || c.Policy != "fifo" || s.CulpritNS < int64(time.Millisecond)*9/10 {
			t.Errorf("sample %d, %d ns: %+v", s.Seq, s.LatencyNS, s.Verdict)
		}
		if b := s.Before; b == nil || b.PID != pid {
			t.Errorf("sample %d: before %v", s.Seq, b)
		}
	}
	if late < 5 {
		t.Errorf("only %d samples above 1 ms", late)
	}
}

// TestReceivers: no mark is missing, whatever the receiver waits in.
func TestReceivers(t *testing.T) {
	want := map[string][]string{
		"sigwait":  {Timer, Module, WakeUp, Switch, User},
		"pause":    {Timer, Module, WakeUp, Switch, User, Own},
		"busy":     {Timer, Module, User, Own},
		"signalfd": {Timer, Module, WakeUp, Switch, User},
		"read":     {WakeUp, Switch, User},
	}
	for name, parts := range want {
		for cpu := range 2 {
			c := config(name)
			if c.CPU, c.Count = cpu, 50; name == "busy" {
				c.Period = 2 * time.Millisecond
			}
			right := 0
			all := trace(t, c)
			for _, s := range all {
				var got []string
				for _, p := range s.Parts {
					if p.NS < 0 {
						t.Errorf("%s on CPU %d: %+v", name, cpu, s.Parts)
					}
					// One that spins is switched away from where a thread sends.
					if name != "busy" || p.Name != Switch {
						got = append(got, p.Name)
					}
				}
				if slices.Equal(got, parts) {
					right++
				}
			}
			if right < len(all)*9/10 {
				t.Errorf("%s on CPU %d: %d of %d have the parts %v: %+v", name, cpu, right, len(all), parts, all[len(all)-1])
			}
		}
	}
}

// TestSleeper blames what delays a thread that sleeps.
func TestSleeper(t *testing.T) {
	pid := hog(t, 50)
	c := config("")
	c.Source, c.CPUs, c.Segments, c.TimerCPU = sigwait.SourceTimer, []int{0}, false, sigwait.AnyCPU
	late := 0
	for _, s := range trace(t, c) {
		sum := int64(0)
		for _, p := range s.Parts {
			sum += p.NS
		}
		if sum != s.LatencyNS {
			t.Errorf("parts %v are not %d ns", s.Parts, s.LatencyNS)
		}
		if s.LatencyNS < int64(time.Millisecond) {
			continue
		}
		late++
		if s.Culprit == nil || s.Culprit.PID != pid || s.CPU != 0 {
			t.Errorf("CPU %d, %d ns: %+v", s.CPU, s.LatencyNS, s.Verdict)
		}
	}
	if late < 5 {
		t.Errorf("only %d wake-ups were late by 1 ms", late)
	}
}
