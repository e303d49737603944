// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"siglat/sigwait/internal/sys"
)

// A line is one line of a trace as text.
type line struct {
	ns   int64
	cpu  int
	task string
	text string
}

// WriteText writes the marks from a reading of CLOCK_MONOTONIC on until a
// sample was received, with the moments of the sample, a line each, in the
// form of trace-cmd(1) and ftrace: task, CPU, time in seconds, event. An
// interrupt stands where it ended.
func (t *Tracer) WriteText(w io.Writer, from int64, s Sample) error {
	var lines []line
	for _, h := range t.cpus {
		for _, m := range h.between(from, s.ReceivedNS) {
			task := current(&m)
			lines = append(lines, line{m.TimeNS, h.cpu, fmt.Sprintf("%s-%d", task.Name, task.PID), markText(&m, task)})
		}
	}
	for _, moment := range []struct {
		name string
		ns   int64
		cpu  int
	}{{"expires", s.ExpiresNS, s.TimerCPU}, {"fired", s.FiredNS, s.TimerCPU}, {"sent", s.SentNS, s.TimerCPU}, {"received", s.ReceivedNS, s.CPU}} {
		if moment.ns != 0 {
			lines = append(lines, line{moment.ns, moment.cpu, fmt.Sprintf("siglat-%d", s.PID), "siglat: " + moment.name})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.ns, b.ns) })
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# tracer: siglat, clock: mono\n#%23s  %5s  %16s  %s\n", "TASK-PID", "CPU", "TIME", "EVENT")
	for _, l := range lines {
		fmt.Fprintf(out, "%24s  [%03d]  %6d.%09d: %s\n", l.task, l.cpu, l.ns/1e9, l.ns%1e9, l.text)
	}
	return out.Flush()
}

func markText(m *sys.Mark, task Task) string {
	switch m.Kind {
	case sys.MarkSwitch:
		return fmt.Sprintf("sched_switch: %s ==> %d", task, m.Number)
	case sys.MarkWake:
		return fmt.Sprintf("sched_waking: pid=%d", m.Number)
	case sys.MarkDeliver:
		return fmt.Sprintf("signal_deliver: sig=%d", m.Number)
	}
	return fmt.Sprintf("interrupt: %s, %d ns", interruptName(m), m.TimeNS-m.BeginNS)
}
