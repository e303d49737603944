// SPDX-License-Identifier: GPL-2.0-only

package blame

import "siglat/sigwait/internal/sys"

// A Turn is a time in which one task had a CPU, in ns of CLOCK_MONOTONIC.
type Turn struct {
	Task         Task
	FromNS, ToNS int64
}

// Ran returns who had the CPU of a sample from a reading of CLOCK_MONOTONIC on
// until it was received, at most so many of the last turns; see
// [Tracer.Fill].
func (t *Tracer) Ran(s Sample, from int64, most int) []Turn {
	h := t.of(s.CPU)
	if h == nil {
		return nil
	}
	from = max(from, h.since)
	var list []Turn
	next := -1
	for _, m := range h.between(from, s.ReceivedNS) {
		if m.Kind == sys.MarkSwitch {
			list = append(list, Turn{current(&m), from, m.TimeNS})
			from, next = m.TimeNS, int(m.Number)
		}
	}
	if next == s.PID {
		w := way{Sample: s, t: t}
		list = append(list, Turn{w.victim(), from, s.ReceivedNS})
	}
	return list[max(0, len(list)-most):]
}
