// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import "siglat/sigwait/internal/sys"

// An eventLog joins events of the module to samples.
type eventLog struct {
	queue []sys.Event // read and not yet taken, ascending
	buf   [256]sys.Event
}

// fill reads all events that there are.
func (l *eventLog) fill(src source) error {
	for {
		n, err := src.events(l.buf[:])
		if err != nil || n == 0 {
			return err
		}
		l.queue = append(l.queue, l.buf[:n]...)
	}
}

// take returns the event with a number and forgets older ones.
func (l *eventLog) take(seq uint64) (sys.Event, bool) {
	n := 0
	for n < len(l.queue) && l.queue[n].Seq < seq {
		n++
	}
	l.drop(n)
	if len(l.queue) == 0 || l.queue[0].Seq != seq {
		return sys.Event{}, false
	}
	return l.queue[0], true
}

// newest takes the last event that was sent before a time, and all older ones.
func (l *eventLog) newest(before int64) (sys.Event, bool) {
	n := 0
	for n < len(l.queue) && l.queue[n].SentNS <= before {
		n++
	}
	if n == 0 {
		return sys.Event{}, false
	}
	e := l.queue[n-1]
	l.drop(n)
	return e, true
}

// drop forgets the n oldest events and keeps the memory.
func (l *eventLog) drop(n int) { l.queue = append(l.queue[:0], l.queue[n:]...) }
