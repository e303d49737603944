// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// timer is what the loop of a Timer works on: a control block, whose place in
// it must be the first, and what the wait needs beside it.
type timer struct {
	control
	deadline int64 // of the wait, ns of the control block's clock
	period   int64
	seq      uint64
	overruns uint64
	until    [2]int64 // deadline as a timespec
}

// A Timer receives no signals: its thread sleeps until absolute times, a
// period apart, by clock_nanosleep(2), and keeps when it woke up. A [Record]
// then holds the expiry in ns and its number. Attach and WarmUp of the
// Receiver are not for it.
type Timer struct {
	*Receiver
	t *timer
}

// NewTimer maps the memory for one thread that sleeps and stamps by a clock,
// CLOCK_MONOTONIC or CLOCK_REALTIME.
func NewTimer(clock uint32, period time.Duration) (*Timer, error) {
	r, err := newReceiver(kind{}, clock)
	if err != nil {
		return nil, err
	}
	t := (*timer)(unsafe.Pointer(&r.mem[0]))
	t.period = int64(period)
	return &Timer{r, t}, nil
}

// The control block and the ring lie on pages of their own; a timer must fit
// into the pages of the former.
const _ = 4096 - uint(unsafe.Sizeof(timer{}))

// Prepare makes the calling thread fit for Sleep and sleeps a few short times.
// The thread must be locked to its goroutine and end after the run, since its
// timer slack stays changed.
func (t *Timer) Prepare() error {
	// Without this, SCHED_OTHER adds 50 us to each sleep (prctl(2)).
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return err
	}
	now, err := t.Now()
	if err != nil {
		return err
	}
	const short = int64(100 * time.Microsecond)
	period := t.t.period
	t.t.period = short
	t.SetTarget(warmups)
	t.Sleep(now + short)
	t.Reset()
	t.t.period, t.t.seq, t.t.overruns = period, 0, 0
	return nil
}

// Now returns the time of the Timer's clock in ns.
func (t *Timer) Now() (int64, error) {
	var now unix.Timespec
	err := unix.ClockGettime(int32(t.c.clock), &now)
	return now.Nano(), err
}

// Sleep sleeps on the calling thread until first, a time in ns of the Timer's
// clock, and on to its multiples, until the target is reached or Stop is
// called. As with Loop the scheduler knows that the thread is away.
func (t *Timer) Sleep(first int64) {
	t.t.deadline = first
	nanosleep(t.t)
}

// Overruns returns how many periods had passed before the thread had woken up
// for the one before.
func (t *Timer) Overruns() uint64 { return atomic.LoadUint64(&t.t.overruns) }
