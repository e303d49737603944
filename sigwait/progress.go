// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import "errors"

// progress tells what is accounted for until now. Signals on their way are
// not: they count when they arrive, or when a later one does. The source is
// asked last, so that a signal that was refused is never taken for a lost one.
func (c *collector) progress() {
	if c.r.c.Progress == nil {
		return
	}
	_, drops := c.r.recv.Received()
	stats, err := c.r.src.stats()
	if err != nil {
		c.logErr = errors.Join(c.logErr, err)
		return
	}
	n := Counts{Refused: stats.Refused, Overruns: stats.Overruns, EventDrops: stats.Dropped,
		Duplicates: c.account.duplicates, Reordered: c.account.reordered, RingDrops: drops,
		Invalid: c.res.Counts.Invalid, WrongCPU: c.res.Counts.WrongCPU, Received: c.account.unique + drops}
	c.lost = max(c.lost, c.account.next-min(c.account.next, n.Received+n.Refused))
	n.Lost, n.Sent = c.lost, n.Received+c.lost
	c.r.c.Progress(n)
}

// progress tells how many threads have woken up until now.
func (t *timers) progress() {
	if t.c.Progress == nil {
		return
	}
	n := Counts{Received: t.passed, WrongCPU: t.res.Counts.WrongCPU}
	for _, s := range t.sleepers {
		_, drops := s.timer.Received()
		n.RingDrops += drops
		n.Overruns += s.timer.Overruns()
	}
	n.Received += n.RingDrops
	n.Sent = n.Received
	t.c.Progress(n)
}
