// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"fmt"
	"slices"
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

// A deed is a call to measure and what must be undone after it.
type deed struct {
	do   func() error
	undo func() error
	per  int // how often do does it; 0 is once
}

// Names of calls. To send a signal is to call rt_tgsigqueueinfo(2) for the
// calling thread.
const (
	SystemCall = "system call (getppid)"
	ClockRead  = "clock read"
	Mask       = "signal mask set"
	Install    = "signal handler installed"
	Check      = "signal number 0 sent: only checked"
	Taken      = "signal sent and taken by sigtimedwait"
	Read       = "signal sent and read from a signalfd"
	Caught     = "signal sent and caught by a handler"
	Burst      = "pipe written and read, a page at a time"
	Stamped    = "signal sent until its handler has read the clock"
)

var calls = []struct {
	name string
	make func() (deed, error)
}{
	{SystemCall, plain(func() error { unix.Getppid(); return nil })},
	{ClockRead, plain(func() error { return since(time.Now()) })},
	{Mask, plain(sys.BlockSignal)},
	{Install, func() (deed, error) {
		a, err := sys.ReadAction()
		return deed{do: a.Install}, err
	}},
	{Check, func() (deed, error) { return deed{do: sys.ToSelf().Check}, nil }},
	{Taken, func() (deed, error) { return deed{do: sendThen(sys.TakeSignal)}, nil }},
	{Read, func() (deed, error) {
		fd, err := sys.SignalFile()
		return deed{do: sendThen(func() error { return sys.ReadSignal(fd) }), undo: func() error { return unix.Close(fd) }}, err
	}},
	{Caught, func() (deed, error) {
		restore, err := sys.CatchSignal()
		return deed{do: sys.ToSelf().Send, undo: restore}, err
	}},
	{Burst, burst}, // last: the thread has files of its own from then on
}

// since gives a reading of the clock a use.
func since(now time.Time) error {
	if now.IsZero() {
		return errors.New("the clock stands at zero")
	}
	return nil
}

func plain(do func() error) func() (deed, error) {
	return func() (deed, error) { return deed{do: do}, nil }
}

func sendThen(take func() error) func() error {
	m := sys.ToSelf()
	return func() error {
		if err := m.Send(); err != nil {
			return err
		}
		return take()
	}
}

// Calls measures each call on a thread of its own, which it makes and which
// has the given CPU and SCHED_FIFO priority (0: SCHED_OTHER). It leaves out
// what this build cannot do.
func Calls(cpu, priority, rounds, repeats int) ([]Call, error) {
	var out []Call
	err := <-onThread(cpu, priority, func() error {
		if err := sys.BlockSignal(); err != nil {
			return err
		}
		for _, c := range calls {
			one, err := timed(c.make, rounds, repeats)
			if errors.Is(err, errors.ErrUnsupported) {
				continue
			}
			if one.Name = c.name; err != nil {
				return fmt.Errorf("measure %s: %w", c.name, err)
			}
			out = append(out, one)
		}
		one, err := stamped(rounds, repeats)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		out = append(out, one)
		return err
	})
	return out, err
}

func timed(make func() (deed, error), rounds, repeats int) (c Call, err error) {
	d, err := make()
	if err != nil {
		return c, err
	}
	per := max(d.per, 1)
	rounds = (rounds + per - 1) / per
	c.Rounds = rounds * per
	c.TotalNS, err = repeat(d.do, rounds, repeats)
	if d.undo != nil {
		err = errors.Join(err, d.undo())
	}
	return c, err
}

// burst fills a page of a pipe by many writes before it reads, as who sends
// messages without an answer does, and hackbench. The threads of a process that
// share its files count who uses one, in each call; who has one thread does not
// (__fget_light in fs/file.c).
func burst() (deed, error) {
	if err := unix.Unshare(unix.CLONE_FILES); err != nil {
		return deed{}, fmt.Errorf("unshare files: %w", err)
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return deed{}, err
	}
	per := unix.Getpagesize() / 8
	return deed{per: per, do: func() error {
		for range per {
			if err := sys.WriteToken(fds[1], goOn); err != nil {
				return err
			}
		}
		for range per {
			if _, err := sys.ReadToken(fds[0]); err != nil {
				return err
			}
		}
		return nil
	}, undo: func() error { return errors.Join(unix.Close(fds[0]), unix.Close(fds[1])) }}, nil
}

// stamped measures the part of the way to a handler that lies before its stamp,
// by the receiver pause.
func stamped(rounds, repeats int) (Call, error) {
	c := Call{Stamped, rounds, make([]int64, repeats)}
	if !slices.Contains(sys.Kinds(), "pause") {
		return c, errors.ErrUnsupported
	}
	r, err := sys.NewReceiver("pause", unix.CLOCK_MONOTONIC)
	if err != nil {
		return c, err
	}
	if err := r.Attach(-1); err != nil {
		return c, errors.Join(err, r.Free())
	}
	m, got := sys.ToSelf(), make([]sys.Record, 1)
	for i := range repeats {
		for range rounds {
			before := sys.Nanotime()
			if err = m.Send(); err != nil {
				break
			}
			if r.Drain(got) != 1 {
				err = errors.New("a signal to oneself did not come")
				break
			}
			c.TotalNS[i] += got[0].Sec*1e9 + got[0].Nsec - before
		}
	}
	if err != nil {
		err = fmt.Errorf("measure %s: %w", Stamped, err)
	}
	return c, errors.Join(err, r.Detach(), r.Free())
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
