// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"cmp"
	"slices"

	"siglat/sigwait/internal/sys"
)

// victim returns the receiving thread as the last mark of it says.
func (w *way) victim() Task {
	for _, h := range w.t.cpus {
		if m := h.last(0, w.ReceivedNS, func(m *sys.Mark) bool { return int(m.PID) == w.PID }); m != nil {
			return current(m)
		}
	}
	return Task{PID: w.PID}
}

func (w *way) before() *Task {
	if w.switched == nil {
		return nil
	}
	task := current(w.switched)
	return &task
}

// interrupted returns the task on the timer's CPU that the first interrupt
// after the expiry interrupted: one that was late found whoever held it off.
func (w *way) interrupted() *Task {
	h := w.t.of(w.TimerCPU)
	until := cmp.Or(w.FiredNS, w.ReceivedNS)
	if h == nil || w.ExpiresNS == 0 || h.since > w.ExpiresNS {
		return nil
	}
	for _, m := range h.after(w.ExpiresNS) {
		if hard := m.Kind == sys.MarkIRQ || m.Kind == sys.MarkVector; hard && m.BeginNS <= until {
			task := current(&m)
			return &task
		}
		if m.BeginNS > until && m.TimeNS > w.ReceivedNS {
			break
		}
	}
	return nil
}

// culprit returns the task that had the CPU longest while the receiver was
// waiting for it, and how long. Where the timer was late for longer than that,
// it is the task that was interrupted at last.
func (w *way) culprit(v *Verdict) (*Task, int64) {
	late := v.Of(Timer)
	if w.SentNS == 0 {
		late = 0 // a sleep: its timer and its wake-up are one
	}
	var task *Task
	longest := int64(0)
	if h := w.t.of(w.CPU); h != nil && w.switched != nil {
		ran := map[int32]int64{}
		from := w.start
		for _, m := range h.between(w.start, w.switched.TimeNS) {
			if m.Kind != sys.MarkSwitch {
				continue
			}
			ran[m.PID] += m.TimeNS - from
			from = m.TimeNS
			if int(m.PID) != w.PID && ran[m.PID] >= longest {
				t := current(&m)
				task, longest = &t, ran[m.PID]
			}
		}
	}
	if late > longest && v.Interrupted != nil {
		return v.Interrupted, late
	}
	return task, longest
}

// interrupts sums up what interrupted the CPUs of the way, longest first.
func (w *way) interrupts() []Interrupt {
	var list []Interrupt
	add := func(cpu int, from, to int64) {
		h := w.t.of(cpu)
		if h == nil {
			return
		}
		for _, m := range h.after(from) {
			name := interruptName(&m)
			if m.Kind == sys.MarkSwitch && m.TimeNS > to {
				break // no hard interrupt that ends later has begun before
			}
			if name == "" || m.BeginNS > to {
				continue
			}
			i := slices.IndexFunc(list, func(i Interrupt) bool { return i.Name == name })
			if i < 0 {
				i, list = len(list), append(list, Interrupt{Name: name})
			}
			list[i].Count++
			list[i].NS += min(m.TimeNS, to) - max(m.BeginNS, from)
		}
	}
	if w.TimerCPU == w.CPU {
		add(w.CPU, cmp.Or(w.ExpiresNS, w.start), w.ReceivedNS)
	} else {
		add(w.CPU, w.start, w.ReceivedNS)
		if w.ExpiresNS != 0 && w.SentNS != 0 {
			add(w.TimerCPU, w.ExpiresNS, w.SentNS)
		}
	}
	slices.SortStableFunc(list, func(a, b Interrupt) int { return cmp.Compare(b.NS, a.NS) })
	return list
}
