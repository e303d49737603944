// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

// ReceiverTimer is what the threads of SourceTimer wait in; the source has no
// other receiver.
const ReceiverTimer = "nanosleep"

// A sleeper is one thread of the source timer.
type sleeper struct {
	cpu   int
	tid   int
	eff   Effective
	timer *sys.Timer

	ready chan error
	first chan int64 // the first expiry; 0: give up
	done  chan struct{}

	seen  uint64
	quiet time.Duration // awake without a wake-up of this thread
}

// runTimers is [Run] for SourceTimer.
func runTimers(ctx context.Context, c *Config, res *Result, started func(Effective), sink func([]Sample)) error {
	cpus := c.CPUs
	if len(cpus) == 0 {
		cpus = []int{c.CPU}
	}
	t := &timers{c: c, res: res, sink: sink, records: make([]sys.Record, batch), samples: make([]Sample, 0, batch)}
	defer t.release()
	var bound, tids []int
	for _, cpu := range cpus {
		s, err := startSleeper(c, cpu)
		if err != nil {
			return err
		}
		t.sleepers = append(t.sleepers, s)
		if err := <-s.ready; err != nil {
			return err
		}
		tids = append(tids, s.tid)
		if cpu != AnyCPU {
			bound = append(bound, cpu)
		}
	}
	defer keepOff(bound, tids...)()
	t.effective(bound)
	started(res.Effective)
	if err := t.begin(); err != nil {
		return err
	}
	return t.collect(ctx)
}

func startSleeper(c *Config, cpu int) (*sleeper, error) {
	timer, err := sys.NewTimer(clocks[c.Clock], c.Period)
	if err != nil {
		return nil, err
	}
	s := &sleeper{cpu: cpu, timer: timer,
		ready: make(chan error, 1), first: make(chan int64, 1), done: make(chan struct{})}
	thread(func() {
		defer close(s.done)
		err := s.prepare(c)
		s.ready <- err
		if err != nil {
			return
		}
		if first := <-s.first; first != 0 {
			s.timer.Sleep(first)
		}
	})
	return s, nil
}

func (s *sleeper) prepare(c *Config) error {
	s.tid = unix.Gettid()
	if err := assume(c, s.cpu, &s.eff); err != nil {
		return err
	}
	if err := s.timer.Prepare(); err != nil {
		return fmt.Errorf("prepare to sleep: %w", err)
	}
	s.timer.SetTarget(c.Count)
	return nil
}

// timers are the threads of a run and what is known of them.
type timers struct {
	c        *Config
	res      *Result
	sink     func([]Sample)
	sleepers []*sleeper
	records  []sys.Record
	samples  []Sample
	passed   uint64 // samples to sink
}

// effective tells what is in force: the same for all threads but for the CPUs.
func (t *timers) effective(bound []int) {
	e := t.sleepers[0].eff
	e.MemLocked = true
	for _, s := range t.sleepers {
		e.MemLocked = e.MemLocked && s.timer.MemLocked
	}
	e.TimerCPU, e.Context, e.Stamp = AnyCPU, ContextTimer, sys.ClockName()
	if len(bound) > 0 {
		e.CPUs = bound
	}
	// The kernel runs the timer of a sleep where the thread went to sleep.
	if len(bound) == 1 {
		e.TimerCPU = bound[0]
	}
	e.DMALatencyUS = t.res.Effective.DMALatencyUS
	t.res.Effective = e
}

// begin starts all threads, their expiries spread over a period so that they
// do not meet.
func (t *timers) begin() error {
	now, err := t.sleepers[0].timer.Now()
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	for i, s := range t.sleepers {
		s.first <- now + int64(t.c.Period) + int64(t.c.Period)*int64(i)/int64(len(t.sleepers))
	}
	return nil
}

// collect reads until all threads have ended, ctx ends, or one of them does
// not run any more, and closes the counts.
func (t *timers) collect(ctx context.Context) error {
	err := t.watch(ctx)
	if !t.end(endTimeout) {
		err = errors.Join(err, fmt.Errorf("a sleeping thread does not run any more: %s", throttling()))
	}
	t.drain()
	n := &t.res.Counts
	complete := t.c.Count > 0
	for _, s := range t.sleepers {
		taken, drops := s.timer.Received()
		n.Sent += taken
		n.RingDrops += drops
		n.Overruns += s.timer.Overruns()
		complete = complete && taken >= t.c.Count
	}
	n.Received = n.Sent
	t.res.Complete = complete || t.c.Count == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
	return err
}

func (t *timers) watch(ctx context.Context) error {
	// Half a period after a wake-up the collector is in nobody's way, as long
	// as there is one thread.
	pause := max(t.c.drainPause(), t.c.Period/2)
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for {
		before := time.Now()
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		t.drain()
		// After a stop of the whole process the clock has gone on, but nobody
		// could have woken up: count only what was waited for.
		running, err := t.check(min(time.Since(before), 2*pause))
		if !running || err != nil {
			return err
		}
	}
}

// check tells whether a thread still runs; the error names one that should and
// does not.
func (t *timers) check(awake time.Duration) (running bool, err error) {
	for _, s := range t.sleepers {
		select {
		case <-s.done:
			continue
		default:
		}
		running = true
		taken, _ := s.timer.Received()
		if s.quiet += awake; taken != s.seen {
			s.seen, s.quiet = taken, 0
		}
		if s.quiet > t.c.Period+max(5*t.c.Period, minStall) {
			return true, fmt.Errorf("no wake-up on CPU %d for %v: %s", s.cpu, s.quiet.Round(time.Millisecond), throttling())
		}
	}
	return running, nil
}

// drain passes on what is in the rings. The numbers of the threads' expiries
// are dealt like cards, so that all are different and none is missing.
func (t *timers) drain() {
	for i, s := range t.sleepers {
		for n := s.timer.Drain(t.records); n > 0; n = s.timer.Drain(t.records) {
			t.samples = t.samples[:0]
			for _, rec := range t.records[:n] {
				woken := rec.Sec*second + rec.Nsec
				sample := Sample{Seq: rec.Aux*uint64(len(t.sleepers)) + uint64(i), ReceivedNS: woken,
					LatencyNS: woken - int64(rec.Value), CPU: rec.CPU, TID: s.tid, TimerCPU: rec.CPU, Valid: true}
				if s.cpu != AnyCPU && rec.CPU >= 0 && rec.CPU != s.cpu {
					t.res.Counts.WrongCPU++
				}
				t.samples = append(t.samples, sample)
			}
			t.passed += uint64(n)
			t.sink(t.samples)
		}
	}
	t.progress()
}

// end makes all threads end and tells whether they did in time.
func (t *timers) end(timeout time.Duration) bool {
	deadline := time.Now().Add(timeout)
	for _, s := range t.sleepers {
		select {
		case s.first <- 0: // still waiting for its start
		default:
		}
		for ended := false; !ended; {
			select {
			case <-s.done:
				ended = true
				continue
			default:
			}
			if time.Now().After(deadline) {
				return false
			}
			_ = s.timer.Stop(s.tid)
			select {
			case <-s.done:
			case <-time.After(time.Millisecond):
			}
		}
	}
	return true
}

// release gives the memory back, unless a thread may still write to it.
func (t *timers) release() {
	if !t.end(endTimeout) {
		return
	}
	for _, s := range t.sleepers {
		_ = s.timer.Free()
	}
}
