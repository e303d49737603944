// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// A Call is something that one thread does alone, with its cost.
type Call struct {
	Name    string
	Rounds  int
	TotalNS []int64 // of all rounds, for each repetition; CLOCK_MONOTONIC
}

var calls = []struct {
	name string
	do   func() error
}{
	{"system call (getppid)", func() error { unix.Getppid(); return nil }},
	{"clock read", func() error { return since(time.Now()) }},
	{"signal action, read and installed", sys.ReinstallAction},
	{"signal to oneself, sent and taken", func() error {
		if err := sys.QueueSignal(unix.Getpid(), unix.Gettid(), 0); err != nil {
			return err
		}
		return sys.TakeSignal()
	}},
}

// since gives a reading of the clock a use.
func since(now time.Time) error {
	if now.IsZero() {
		return errors.New("the clock stands at zero")
	}
	return nil
}

// Calls measures each call on a thread of its own, which it makes and which
// has the given CPU and SCHED_FIFO priority (0: SCHED_OTHER).
func Calls(cpu, priority, rounds, repeats int) ([]Call, error) {
	var out []Call
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: its mask and policy are changed
		p := place{Ring: Ring{CPU: cpu, Priority: priority}}
		_, err := p.settle()
		if err == nil {
			err = sys.BlockSignal()
		}
		for _, c := range calls {
			if err != nil {
				break
			}
			one := Call{c.name, rounds, nil}
			if one.TotalNS, err = repeat(c.do, rounds, repeats); err != nil {
				err = fmt.Errorf("measure %s: %w", c.name, err)
			}
			out = append(out, one)
		}
		failed <- err
	}()
	err := <-failed
	return out, err
}

// TimerResolution returns that of CLOCK_MONOTONIC.
func TimerResolution() (time.Duration, error) {
	var res unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC, &res); err != nil {
		return 0, fmt.Errorf("clock_getres: %w", err)
	}
	return time.Duration(res.Nano()), nil
}

// repeat returns the times of repetitions after one round.
func repeat(do func() error, rounds, repeats int) ([]int64, error) {
	if err := do(); err != nil {
		return nil, err
	}
	ns := make([]int64, repeats)
	for i := range ns {
		start := time.Now()
		for range rounds {
			if err := do(); err != nil {
				return nil, err
			}
		}
		ns[i] = time.Since(start).Nanoseconds()
	}
	return ns, nil
}
