// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"siglat/sigwait/internal/sys"
)

var modes = map[Mode]uint32{ModeUser: sys.ModeUser, ModeKthread: sys.ModeKthread, ModeIRQ: sys.ModeIRQ}

// moduleEvents is how many events the module keeps, kmod/siglat.h.
const moduleEvents = 4096

// inModule tells whether both stamps are taken in the module.
func (c *Config) inModule() bool { return c.Mode == ModeKthread || c.Mode == ModeIRQ }

// checkMode finds what does not go with the mode.
func (c *Config) checkMode() error {
	if _, ok := modes[c.Mode]; c.Mode != "" && !ok {
		return fmt.Errorf("mode %q: use user, kthread or irq", c.Mode)
	}
	if !c.inModule() {
		return nil
	}
	switch {
	case c.Source != SourceKernel:
		return fmt.Errorf("mode %s: needs the source kernel", c.Mode)
	case c.Receiver != "" || c.CPU != AnyCPU || c.Segments:
		return fmt.Errorf("mode %s: has no receiver, CPU of one, or segments to choose", c.Mode)
	case c.Clock != ClockMonotonic:
		return fmt.Errorf("mode %s: its stamps are of the clock monotonic", c.Mode)
	case c.Context == ContextThread:
		return fmt.Errorf("mode %s: context thread is for signals: use auto, softirq or hardirq", c.Mode)
	case c.Policy != "" && (c.Mode != ModeKthread || c.Policy != PolicyFIFO):
		return fmt.Errorf("mode %s: policy %s: the module's thread of mode kthread is SCHED_FIFO, mode irq has no thread", c.Mode, c.Policy)
	}
	return nil
}

// A stream is a run of the modes without a receiver: all that there is to know
// is in the module's events.
type stream struct {
	c       *Config
	res     *Result
	src     source
	sink    func([]Sample)
	buf     []sys.Event
	samples []Sample

	next  uint64        // sequence number after the last event
	taken uint64        // events read
	last  time.Time     // time of the newest event, or the start
	quiet time.Duration // how long this process has been awake without one
}

// runModule is [Run] for the modes kthread and irq.
func runModule(ctx context.Context, c *Config, res *Result, started func(Effective), sink func([]Sample)) (err error) {
	c.events, c.noSignal = true, true
	s := &stream{c: c, res: res, src: sources[c.Source](), sink: sink,
		buf: make([]sys.Event, 512), samples: make([]Sample, 0, 512)}
	if err := s.src.open(c); err != nil {
		return errors.Join(err, s.src.close())
	}
	defer func() { err = errors.Join(err, s.src.close()) }()
	if c.TimerCPU != AnyCPU {
		defer keepOff([]int{c.TimerCPU})()
	}
	s.effective()
	started(res.Effective)
	if err := s.src.start(); err != nil {
		return err
	}
	s.last = time.Now()
	return s.collect(ctx)
}

// effective tells what is in force. The module's memory is never paged out.
func (s *stream) effective() {
	e := &s.res.Effective
	e.TimerCPU, e.Context, e.Stamp, e.MemLocked = s.c.TimerCPU, s.c.Context, "module", true
	if s.c.TimerCPU != AnyCPU {
		e.CPUs = []int{s.c.TimerCPU}
	}
	if s.c.Mode == ModeKthread {
		e.Policy, e.Priority = PolicyFIFO, s.c.Priority
		if e.Priority == 0 {
			e.Priority = modulePriority()
		}
	}
	s.res.Module = s.src.version()
}

// modulePriority is the module's parameter, 0 where it cannot be read.
func modulePriority() int {
	b, _ := os.ReadFile("/sys/module/siglat/parameters/thread_priority")
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// collect reads until the run is over and closes the counts.
func (s *stream) collect(ctx context.Context) error {
	err := s.watch(ctx)
	err = errors.Join(err, s.src.stop())
	_, derr := s.drain()
	stats, serr := s.src.stats()
	if err = errors.Join(err, derr); serr != nil {
		return errors.Join(err, fmt.Errorf("read the statistics of the module: %w", serr))
	}
	s.res.Complete = s.c.Count > 0 && stats.Expired >= s.c.Count ||
		s.c.Count == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
	return errors.Join(err, s.close(stats))
}

// watch reads until all events are there, ctx ends, or none comes any more.
func (s *stream) watch(ctx context.Context) error {
	least := min(s.c.drainPause(), moduleEvents/8*s.c.Period)
	for s.c.Count == 0 || s.next < s.c.Count {
		before, pause := time.Now(), nextLook(s.last, s.c.Period, least)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		n, err := s.drain()
		if err != nil {
			return err
		}
		// After a stop of the whole process the clock has gone on: count only
		// what was slept for.
		if s.quiet += min(time.Since(before), 2*pause); n > 0 {
			s.quiet = 0
		}
		if s.quiet < s.c.Period+max(5*s.c.Period, minStall) {
			continue
		}
		if over, err := s.stalled(); over || err != nil {
			return err
		}
	}
	return nil
}

// stalled tells whether the module has ended; an error says why no event comes.
func (s *stream) stalled() (bool, error) {
	stats, err := s.src.stats()
	switch {
	case err != nil:
		return true, fmt.Errorf("read the statistics of the module: %w", err)
	case stats.State&sys.StateRunning == 0:
		return true, nil
	case s.c.Mode == ModeKthread && stats.Overruns > 0:
		return true, fmt.Errorf("no event for %v, %d periods skipped: the module's thread does not run: %s",
			s.quiet.Round(time.Millisecond), stats.Overruns, throttling())
	}
	return true, fmt.Errorf("no event for %v: %s", s.quiet.Round(time.Millisecond), noTimer(s.c.TimerCPU))
}

// drain passes on all events that there are and returns how many.
func (s *stream) drain() (int, error) {
	total := 0
	for {
		n, err := s.src.events(s.buf)
		if err != nil || n == 0 {
			return total, err
		}
		s.samples = s.samples[:0]
		for i := range s.buf[:n] {
			s.samples = append(s.samples, s.sample(&s.buf[i]))
		}
		total += n
		s.taken += uint64(n)
		s.next = s.samples[n-1].Seq + 1
		s.last = when(s.samples[n-1].ReceivedNS, s.c.Clock)
		s.sink(s.samples)
	}
}

// sample makes a sample of an event. In mode irq done is fired.
func (s *stream) sample(e *sys.Event) Sample {
	cpu := int(e.CPU)
	if s.c.TimerCPU != AnyCPU && cpu != s.c.TimerCPU {
		s.res.Counts.WrongCPU++
	}
	return Sample{Seq: e.Seq, ReceivedNS: e.DoneNS, LatencyNS: e.DoneNS - e.ExpiresNS,
		CPU: cpu, TimerCPU: cpu, Valid: true, Overruns: uint64(e.Overruns)}
}

// close reconciles the events with what the module says it has served.
func (s *stream) close(stats sys.Stats) error {
	n, e := &s.res.Counts, &s.res.Effective
	n.Sent, n.Overruns, n.RingDrops = stats.Expired, stats.Overruns, stats.Dropped
	n.Received = s.taken + stats.Dropped
	if stats.CPU >= 0 {
		e.TimerCPU, e.CPUs = int(stats.CPU), []int{int(stats.CPU)}
	}
	e.Context = contextOf(stats, e.Context)
	if n.Received != n.Sent {
		return fmt.Errorf("the counts do not add up: %d expiries, %d events read, %d overwritten: please report this with run.json",
			stats.Expired, s.taken, stats.Dropped)
	}
	return nil
}
