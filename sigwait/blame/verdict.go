// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"cmp"
	"slices"

	"siglat/sigwait"
	"siglat/sigwait/internal/sys"
)

// The parts of a sample's way, in their order. Each begins where the one
// before ends.
const (
	Timer   = "timer"   // from the expiry to the timer's callback, or to the wake-up where a sleep ends
	Module  = "module"  // to the moment it sends
	WakeUp  = "wakeup"  // to the wake-up of the receiver
	Switch  = "switch"  // to the last switch to the receiver
	User    = "user"    // to the delivery to a signal handler; else to the stamp, with Own in it
	Own     = "own"     // the receiver's own way to the stamp, with the return to user mode
	Unknown = "unknown" // what could not be told apart
)

// A Sample is what is known of one signal beside the marks: readings of
// CLOCK_MONOTONIC in ns, 0 where unknown.
type Sample struct {
	PID        int // of the receiving thread
	CPU        int // on which it was received
	TimerCPU   int // of the timer or sender, -1 if unknown
	ExpiresNS  int64
	FiredNS    int64
	SentNS     int64
	ReceivedNS int64
}

// Of returns what is known of a sample that was stamped by CLOCK_MONOTONIC.
func Of(s *sigwait.Sample, source sigwait.Source) Sample {
	w := Sample{PID: s.TID, CPU: s.CPU, TimerCPU: s.TimerCPU, ReceivedNS: s.ReceivedNS}
	sent := s.ReceivedNS - s.LatencyNS
	if source == sigwait.SourceTimer {
		w.ExpiresNS = sent
		return w
	}
	if w.SentNS = sent; s.HasParts {
		w.FiredNS = sent - s.ModuleNS
		w.ExpiresNS = w.FiredNS - s.TimerNS
	}
	return w
}

// A Part is a part of the way.
type Part struct {
	Name string
	NS   int64
}

// An Interrupt sums up interrupts of one kind during the way of a sample.
type Interrupt struct {
	Name  string // as "irq 19", "local timer" or "softirq HRTIMER"
	Count int
	NS    int64 // only what lies in the way of the sample
}

// A Verdict says where the time of a sample went. Tasks are nil where there
// was none, or none was seen.
type Verdict struct {
	Parts  []Part   // their sum is the time from the first known moment to the stamp
	Unseen []string // parts that are not told apart; their time lies in Unknown or, for Own, in User

	Victim      Task
	Culprit     *Task // had the CPU longest while the receiver could have run
	CulpritNS   int64
	Before      *Task // ran on the CPU just before the receiver
	Interrupted *Task // ran when the timer's interrupt came
	Interrupts  []Interrupt
}

// Explain lays the marks along the way of a sample; see [Tracer.Fill].
func (t *Tracer) Explain(s Sample) Verdict {
	w := way{Sample: s, t: t}
	w.find()
	v := Verdict{Victim: w.victim(), Before: w.before(), Interrupted: w.interrupted()}
	v.Parts, v.Unseen = w.parts()
	v.Culprit, v.CulpritNS = w.culprit(&v)
	v.Interrupts = w.interrupts()
	return v
}

// A way is a sample with the marks on it.
type way struct {
	Sample
	t         *Tracer
	start     int64 // since then the receiver is to be woken
	complete  bool  // no mark is missing
	wake      *sys.Mark
	switched  *sys.Mark
	delivered *sys.Mark
}

func (w *way) find() {
	if w.start = w.SentNS; w.start == 0 {
		w.start = w.ExpiresNS
	}
	w.complete = w.t.of(w.CPU) != nil
	for _, h := range w.t.cpus {
		w.complete = w.complete && h.since <= w.start
		m := h.first(w.start, w.ReceivedNS, func(m *sys.Mark) bool {
			return m.Kind == sys.MarkWake && int(m.Number) == w.PID
		})
		if m != nil && (w.wake == nil || m.TimeNS < w.wake.TimeNS) {
			w.wake = m
		}
	}
	h := w.t.of(w.CPU)
	if h == nil {
		return
	}
	w.switched = h.last(w.start, w.ReceivedNS, func(m *sys.Mark) bool {
		return m.Kind == sys.MarkSwitch && int(m.Number) == w.PID
	})
	from := w.start
	if w.switched != nil {
		from = w.switched.TimeNS
	}
	w.delivered = h.last(from, w.ReceivedNS, func(m *sys.Mark) bool {
		return m.Kind == sys.MarkDeliver && int(m.PID) == w.PID
	})
}

// parts cuts the way at all moments that are known.
func (w *way) parts() (parts []Part, unseen []string) {
	var at int64
	cut := func(name string, ns int64) {
		if at != 0 && ns != 0 {
			parts = append(parts, Part{name, ns - at})
		}
		at = cmp.Or(ns, at)
	}
	cut("", w.ExpiresNS)
	cut(Timer, w.FiredNS)
	cut(Module, w.SentNS)
	if w.wake != nil {
		name := WakeUp
		if w.SentNS == 0 {
			name = Timer
		}
		cut(name, w.wake.TimeNS)
	}
	switch {
	case w.switched == nil:
	case w.wake == nil && !w.complete:
		cut(Unknown, w.switched.TimeNS)
	default:
		cut(Switch, w.switched.TimeNS)
	}
	switch {
	case w.delivered != nil:
		cut(User, w.delivered.TimeNS)
		cut(Own, w.ReceivedNS)
	case w.complete, w.switched != nil: // since then, no mark is missing
		cut(User, w.ReceivedNS)
		unseen = []string{Own}
	default:
		cut(Unknown, w.ReceivedNS)
		unseen = []string{User, Own}
	}
	return parts, append(w.missing(), unseen...)
}

// missing names the parts before the last ones that were not seen. Where all
// marks are there, a receiver without a wake-up or a switch needed none.
func (w *way) missing() (names []string) {
	for _, m := range []struct {
		name string
		is   bool
	}{
		{Timer, w.ExpiresNS == 0},
		{Module, w.SentNS != 0 && w.FiredNS == 0},
		{WakeUp, w.SentNS != 0 && w.wake == nil && !w.complete},
		{Switch, !w.complete && (w.switched == nil || w.wake == nil)},
	} {
		if m.is {
			names = append(names, m.name)
		}
	}
	return names
}

// Of returns the time of a part in ns, 0 if it is not there.
func (v *Verdict) Of(name string) int64 {
	i := slices.IndexFunc(v.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return 0
	}
	return v.Parts[i].NS
}
