// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"siglat/sigwait/internal/sys"
)

func TestMain(m *testing.M) {
	if !Invited() {
		os.Exit(m.Run())
	}
	if err := Join(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cpu returns one on which this process may run.
func cpu(t *testing.T) int {
	t.Helper()
	cpus, err := CPUs()
	if err != nil || len(cpus) == 0 {
		t.Fatalf("CPUs %v, %v", cpus, err)
	}
	return cpus[0]
}

// Each kind of ring comes to its end with a time for each repetition.
func TestRing(t *testing.T) {
	at := []int{cpu(t)}
	for _, r := range []Ring{
		{Procs: 2}, {Procs: 5, Bytes: 4096}, {Procs: 3, Link: Eventfd}, {Procs: 3, Threads: true},
		{Procs: 4, Overhead: true}, {Procs: 2, Link: Eventfd, Overhead: true},
		{Procs: 3, Link: Futex}, {Procs: 2, Link: Futex, Threads: true}, {Procs: 3, Link: Futex, Overhead: true},
		{Procs: 2, Link: Futex, CPUs: append(at, at...)}, {Procs: 3, Link: Signal, Threads: true},
		{Procs: 3, Link: Signal, Threads: true, Overhead: true},
	} {
		if r.Link == "" {
			r.Link = Pipe
		}
		if r.CPUs == nil {
			r.CPUs = at
		}
		r.Rounds, r.Repeats = 20, 3
		ns, err := r.Run(context.Background())
		if err != nil || len(ns) != 3 || slices.Min(ns) <= 0 {
			t.Errorf("%+v: %v, %v", r, ns, err)
		}
	}
}

// A wake-up takes time, where the priorities for it are allowed.
func TestWakeUps(t *testing.T) {
	waking, alone, err := WakeUps(cpu(t), 50, 100)
	switch {
	case CanFIFO(50) != nil:
		if err == nil {
			t.Errorf("no priority, and %v", waking)
		}
	case err != nil || len(waking) != 100 || len(alone) != 100:
		t.Errorf("%v, %v, %v", waking, alone, err)
	default:
		slices.Sort(waking)
		slices.Sort(alone)
		if waking[50] <= alone[50] {
			t.Errorf("with a wake-up %d, without %d ns", waking[50], alone[50])
		}
	}
	if _, _, err := WakeUps(cpu(t), 1, 10); err == nil {
		t.Error("no priority below that of the waker, and no error")
	}
}

// Gaps follow each other within the time of the spinning, and are much longer
// than a reading of the clock.
func TestSpin(t *testing.T) {
	const delay, span = 5 * time.Millisecond, 60 * time.Millisecond
	before := sys.Nanotime()
	gaps, err := Spin(cpu(t), 0, delay, span)
	after := sys.Nanotime()
	if err != nil || after-before < (delay+span).Nanoseconds() {
		t.Fatalf("after %d ns: %v", after-before, err)
	}
	last := before + delay.Nanoseconds()
	for _, g := range gaps {
		if g.FromNS < last || g.ToNS < g.FromNS+30 || g.ToNS > after {
			t.Errorf("gap %+v after %d, the end was at %d", g, last, after)
		}
		last = g.ToNS
	}
	if len(gaps) == 0 {
		t.Error("not even the tick of the scheduler interrupts")
	}
	if _, err := Spin(1023, 0, 0, 0); err == nil {
		t.Error("no error on a CPU that is not there")
	}
	cpus, err := CPUs()
	if err != nil || len(cpus) != runtime.NumCPU() || !slices.IsSorted(cpus) {
		t.Errorf("CPUs %v, %v", cpus, err)
	}
}

func TestRingFails(t *testing.T) {
	at := []int{cpu(t)}
	for _, r := range []Ring{
		{Procs: 1, Rounds: 1, Repeats: 1, CPUs: at, Link: Pipe}, {Procs: 2, Repeats: 1, CPUs: at, Link: Pipe},
		{Procs: 2, Rounds: 1, Repeats: 1, CPUs: []int{1023}, Link: Pipe}, {Procs: 2, Rounds: 1, Repeats: 1, Link: Pipe},
		{Procs: 2, Rounds: 1, Repeats: 1, CPUs: at, Link: "string"},
		{Procs: 2, Rounds: 1, Repeats: 1, CPUs: at, Link: Signal},
	} {
		if ns, err := r.Run(context.Background()); err == nil {
			t.Errorf("%+v: %v without an error", r, ns)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Ring{Procs: 2, Rounds: 1, Repeats: 1, CPUs: at, Link: Pipe}).Run(ctx); err == nil {
		t.Error("no error after the end of the context")
	}
}

func TestCalls(t *testing.T) {
	all, err := Calls(cpu(t), 0, 50, 3)
	handler := slices.Contains(sys.Kinds(), "pause")
	var want []string
	for _, c := range calls {
		if handler || c.name != Caught {
			want = append(want, c.name)
		}
	}
	if handler { // a build with a handler of its own
		want = append(want, Stamped)
	}
	if err != nil || len(all) != len(want) {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, c := range all {
		if c.Name != want[i] {
			t.Errorf("call %d is %q, want %q", i, c.Name, want[i])
		}
		if len(c.TotalNS) != 3 || slices.Min(c.TotalNS) < 0 || slices.Max(c.TotalNS) == 0 {
			t.Errorf("%+v", c)
		}
	}
	if res, err := TimerResolution(); err != nil || res <= 0 {
		t.Errorf("resolution %v, %v", res, err)
	}
}
