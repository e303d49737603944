// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

const (
	second     = int64(time.Second)
	batch      = 4096
	drainEvery = 250 * time.Millisecond // between two looks at the ring, which disturb the other CPUs
	promptly   = time.Millisecond
	settle     = 200 * time.Millisecond // without a signal after the last was sent, before one is lost
	minStall   = 2 * time.Second
)

// A collector reads the ring while a run lasts and accounts for what it finds.
type collector struct {
	r       *run
	res     *Result
	sink    func([]Sample)
	account account
	records []sys.Record
	samples []Sample
	log     eventLog
	logErr  error
	drops   uint64
	blank   uint64 // signals without a payload that no event was left for
	lost    uint64 // as told by progress

	last  time.Time     // when the newest signal was received, or the start
	quiet time.Duration // how long the collector has been awake without one
	watch watch
}

func newCollector(r *run, res *Result, sink func([]Sample)) *collector {
	return &collector{r: r, res: res, sink: sink, last: time.Now(),
		records: make([]sys.Record, batch), samples: make([]Sample, 0, batch)}
}

// collect reads until the run is over and closes the account.
func (c *collector) collect(ctx context.Context) error {
	err := c.sending(ctx)
	// A source that is stopped before it has started would start then.
	select {
	case <-c.r.going:
	case <-time.After(endTimeout):
		return errors.Join(err, fmt.Errorf("the receiving thread does not run: %s", throttling()))
	}
	err = errors.Join(err, c.r.src.stop())
	stats, serr := c.r.src.stats()
	if serr != nil {
		return errors.Join(err, fmt.Errorf("read the statistics of the source: %w", serr))
	}
	c.settle(stats.Sent)
	_, c.drops = c.r.recv.Received() // ending the thread may add one
	if !c.r.end(endTimeout) {
		err = errors.Join(err, fmt.Errorf("the receiving thread does not run any more: %s", throttling()))
	} else {
		err = errors.Join(err, c.r.err)
	}
	c.drain()
	c.res.Complete = c.r.c.Count == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) ||
		c.r.c.Count > 0 && stats.Expired >= c.r.c.Count
	return errors.Join(err, c.logErr, c.close(stats))
}

// sending reads until the source has sent all, ctx ends, the receiver has
// ended, or nothing arrives any more.
func (c *collector) sending(ctx context.Context) error {
	timer := time.NewTimer(c.pause())
	defer timer.Stop()
	for {
		before := time.Now()
		select {
		case <-ctx.Done():
			return nil
		case <-c.r.done:
			return nil
		case <-c.r.reached:
			target := c.missing()
			c.r.more <- target
			if target == 0 {
				return nil
			}
			timer.Reset(c.pause())
			continue
		case <-timer.C:
		}
		asked := c.pause()
		if c.drain() > 0 {
			c.quiet = 0
			timer.Reset(c.pause())
			continue
		}
		// After a stop of the whole process the clock has gone on, but nobody
		// could have received anything: count only what was slept for.
		c.quiet += min(time.Since(before), 2*asked)
		timer.Reset(asked)
		if c.quiet < 3*c.r.c.Period {
			continue
		}
		if over, err := c.stalled(); over || err != nil {
			return err
		}
	}
}

// missing returns how many signals the receiver will have taken, those of
// others too, when all of the run are there; 0: they are.
func (c *collector) missing() uint64 {
	taken, drops := c.r.recv.Received() // first: a handler may take one meanwhile
	c.drain()
	found := c.found()
	if found >= c.r.c.Count {
		return 0
	}
	return taken - drops + c.r.c.Count - found
}

func (c *collector) pause() time.Duration {
	return nextLook(c.last, c.r.c.Period, c.r.c.drainPause())
}

// nextLook returns how long to sleep before the next look at what has arrived,
// at least as told: half a period past an expected signal, so that waking up
// for it does not disturb the timer's CPU at the wrong moment.
func nextLook(last time.Time, period, least time.Duration) time.Duration {
	target := last.Add(period / 2)
	earliest := time.Now().Add(least)
	if n := earliest.Sub(target); n > 0 {
		target = target.Add((n + period - 1) / period * period)
	}
	return time.Until(target)
}

// drainPause returns how long to leave the ring alone: at most for an eighth
// of what it holds.
func (c *Config) drainPause() time.Duration {
	if c.Prompt {
		return promptly
	}
	if c.Period > drainEvery {
		return drainEvery
	}
	return min(drainEvery, sys.RingSize/8*c.Period)
}

// when returns the time of a stamp of a clock.
func when(stamp int64, clock Clock) time.Time {
	var now unix.Timespec
	_ = unix.ClockGettime(int32(clocks[clock]), &now) // fails for unknown clocks only
	return time.Now().Add(time.Duration(stamp - now.Nano()))
}

// settle waits for signals that are sent but not yet taken.
func (c *collector) settle(sent uint64) {
	for idle := time.Duration(0); idle < settle; idle += time.Millisecond {
		if c.drain() > 0 {
			idle = 0
		}
		if c.found() >= sent {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// found returns how many signals of the run were received, as far as they have
// been drained: those of strangers are not among them.
func (c *collector) found() uint64 {
	_, drops := c.r.recv.Received()
	return c.account.unique + c.blank + drops
}

// drain passes everything in the ring on and returns how many samples.
func (c *collector) drain() int {
	total := 0
	for {
		n := c.r.recv.Drain(c.records)
		if n == 0 {
			if total > 0 {
				c.progress()
			}
			return total
		}
		total += n
		if c.r.c.events && !c.r.c.noSignal {
			c.logErr = errors.Join(c.logErr, c.log.fill(c.r.src))
		}
		c.samples = c.samples[:0]
		for _, rec := range c.records[:n] {
			c.samples = append(c.samples, c.sample(rec))
		}
		c.last = when(c.samples[n-1].ReceivedNS, c.r.c.Clock)
		c.sink(c.samples)
	}
}

func (c *collector) sample(rec sys.Record) Sample {
	counts := &c.res.Counts
	duplicates := c.account.duplicates
	s := Sample{ReceivedNS: rec.Sec*second + rec.Nsec, CPU: rec.CPU, TID: c.r.tid, TimerCPU: c.r.eff.TimerCPU}
	switch {
	case c.r.c.noSignal:
		s.Seq = c.account.add(uint32(rec.Aux))
		s.LatencyNS, s.Valid = s.ReceivedNS-int64(rec.Value), true
	case !c.r.recv.HasPayload():
		// Nothing tells which signal it was: it must be the last one sent.
		if e, ok := c.log.newest(s.ReceivedNS); ok {
			s.Seq = c.account.add(uint32(e.Seq))
			s.join(e)
		} else {
			c.blank++
		}
	default:
		s.Seq = c.account.add(uint32(rec.Value >> 32))
		s.LatencyNS = rec.Nsec - int64(rec.Value&0xffffffff)
		if s.LatencyNS < 0 {
			s.LatencyNS += second
		}
		s.Valid = s.LatencyNS <= second/2
		if e, ok := c.log.take(s.Seq); ok {
			s.join(e)
		}
	}
	switch {
	case c.account.duplicates > duplicates:
		s.Valid, s.HasParts = false, false // sent by somebody else, or long ago
	case !s.Valid:
		counts.Invalid++
	}
	if c.r.c.CPU != AnyCPU && rec.CPU >= 0 && !slices.Contains(c.r.eff.CPUs, rec.CPU) {
		counts.WrongCPU++
	}
	return s
}

// join takes what the module wrote down about the signal.
func (s *Sample) join(e sys.Event) {
	s.LatencyNS, s.Valid = s.ReceivedNS-e.SentNS, true
	s.HasParts, s.TimerNS, s.ModuleNS = true, e.FiredNS-e.ExpiresNS, e.SentNS-e.FiredNS
	s.TimerCPU, s.Overruns = int(e.CPU), uint64(e.Overruns)
}

// contextOf returns the context in the statistics of the module, else the one
// that was asked for.
func contextOf(stats sys.Stats, asked Context) Context {
	for name, number := range contexts {
		if number == stats.Context && name != ContextAuto {
			return name
		}
	}
	return asked
}

// close reconciles what was received with what the source says it sent.
func (c *collector) close(stats sys.Stats) error {
	n := &c.res.Counts
	n.Sent, n.Refused, n.Overruns = stats.Sent, stats.Refused, stats.Overruns
	n.Duplicates, n.Reordered, n.RingDrops = c.account.duplicates, c.account.reordered, c.drops
	n.EventDrops = stats.Dropped
	if stats.Dropped > 0 {
		c.res.Warnings = append(c.res.Warnings, fmt.Sprintf("%d events of the module were overwritten before they were read: their samples have no parts", stats.Dropped))
	}
	n.Received = c.account.unique + c.drops
	// One that was handled late has joined the event of the next: it is
	// received, though its latency is not known. More than were sent are not ours.
	late := min(c.blank, n.Sent-min(n.Sent, n.Received))
	n.Received += late
	n.Duplicates += c.blank - late
	n.Invalid -= c.blank - late
	if stats.CPU >= 0 {
		c.res.Effective.TimerCPU = int(stats.CPU)
	}
	c.res.Effective.Context = contextOf(stats, c.res.Effective.Context)
	if stats.Expired != stats.Sent+stats.Refused || n.Received > n.Sent {
		return fmt.Errorf("the counts do not add up: %d expiries, %d sent, %d refused, %d received: please report this with run.json", stats.Expired, n.Sent, n.Refused, n.Received)
	}
	n.Lost = n.Sent - n.Received
	return nil
}
