// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"fmt"
	"strings"
	"testing"

	"siglat/sigwait/internal/sys"
)

const (
	fifo50 = 49  // as the kernel counts
	nice0  = 120 // likewise
	me     = 7
)

func mark(kind uint32, begin, end int64, number uint32, name string, pid, prio int32) sys.Mark {
	m := sys.Mark{Kind: kind, BeginNS: begin, TimeNS: end, Number: number, PID: pid, Prio: prio}
	if prio < 99 {
		m.Policy = 1
	}
	copy(m.Comm[:], name)
	return m
}

// traced is a Tracer of CPUs 0 and 1 with marks of CPU 0, complete from a time
// on.
func traced(since int64, marks ...sys.Mark) *Tracer {
	t := newTracer([]int{0, 1})
	t.cpus[0].add(marks, false)
	t.cpus[0].since = since
	return t
}

// sample expires at 1000, fires at 1100, is sent at 1150 and received at 9000.
var sample = Sample{PID: me, ExpiresNS: 1000, FiredNS: 1100, SentNS: 1150, ReceivedNS: 9000}

func text(v Verdict) string {
	var b strings.Builder
	for _, p := range v.Parts {
		fmt.Fprintf(&b, "%s %d ", p.Name, p.NS)
	}
	fmt.Fprintf(&b, "%v %v %d %v %v %v", v.Unseen, v.Culprit, v.CulpritNS, v.Before, v.Interrupted, v.Interrupts)
	return b.String()
}

func TestExplain(t *testing.T) {
	timer := mark(sys.MarkVector, 900, 1050, 0xec, "idle", 0, nice0)
	softirq := mark(sys.MarkSoftIRQ, 1060, 1300, 8, "idle", 0, nice0)
	wake := mark(sys.MarkWake, 1200, 1200, me, "idle", 0, nice0)
	hogIn := mark(sys.MarkSwitch, 1500, 1500, 20, "idle", 0, nice0)
	hogOut := mark(sys.MarkSwitch, 8000, 8000, 30, "hog", 20, fifo50)
	in := mark(sys.MarkSwitch, 8100, 8100, me, "last", 30, nice0)
	deliver := mark(sys.MarkDeliver, 8500, 8500, 64, "me", me, fifo50)
	lateTimer := mark(sys.MarkVector, 1090, 1095, 0xec, "off", 40, nice0)
	for _, c := range []struct {
		name   string
		tracer *Tracer
		sample Sample
		want   string
	}{
		{"a hog, and another after it", traced(0, timer, wake, softirq, hogIn, hogOut, in), sample,
			"timer 100 module 50 wakeup 50 switch 6900 user 900 [own] hog/20 FIFO 50 6500 last/30 OTHER idle [{softirq HRTIMER 1 240} {local timer 1 50}]"},
		{"with a handler", traced(0, wake, in, deliver), sample,
			"timer 100 module 50 wakeup 50 switch 6900 user 400 own 500 [] last/30 OTHER 6950 last/30 OTHER <nil> []"},
		{"one that spins", traced(0, deliver), sample,
			"timer 100 module 50 user 7350 own 500 [] <nil> 0 <nil> <nil> []"},
		{"nothing seen", traced(1160), sample,
			"timer 100 module 50 unknown 7850 [wakeup switch user own] <nil> 0 <nil> <nil> []"},
		{"only the end seen", traced(1160, in), sample,
			"timer 100 module 50 unknown 6950 user 900 [wakeup switch own] last/30 OTHER 6950 last/30 OTHER <nil> []"},
		{"no events", traced(0, wake, in), Sample{PID: me, SentNS: 1150, ReceivedNS: 9000},
			"wakeup 50 switch 6900 user 900 [timer module own] last/30 OTHER 6950 last/30 OTHER <nil> []"},
		{"a sleep", traced(0, timer, wake, in), Sample{PID: me, ExpiresNS: 1000, ReceivedNS: 9000},
			"timer 200 switch 6900 user 900 [own] last/30 OTHER 7100 last/30 OTHER idle [{local timer 1 50}]"},
		{"a late timer", traced(0, lateTimer), Sample{PID: me, ExpiresNS: 100, FiredNS: 1100, SentNS: 1150, ReceivedNS: 1500},
			"timer 1000 module 50 user 350 [own] off/40 OTHER 1000 <nil> off/40 OTHER [{local timer 1 5}]"},
		{"on a CPU that is not traced", traced(0, in), Sample{PID: me, CPU: 5, SentNS: 1150, ReceivedNS: 9000},
			"unknown 7850 [timer module wakeup switch user own] <nil> 0 <nil> <nil> []"},
	} {
		if got := text(c.tracer.Explain(c.sample)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestRan(t *testing.T) {
	tracer := traced(100, mark(sys.MarkSwitch, 500, 500, 20, "idle", 0, nice0), mark(sys.MarkWake, 1200, 1200, me, "hog", 20, fifo50), mark(sys.MarkSwitch, 8000, 8000, me, "hog", 20, fifo50),
		mark(sys.MarkDeliver, 8500, 8500, 64, "me", me, fifo50))
	for from, want := range map[int64]string{
		0:   "[{idle 100 500} {hog/20 FIFO 50 500 8000} {me/7 FIFO 50 8000 9000}]", // from when on it is known
		600: "[{hog/20 FIFO 50 600 8000} {me/7 FIFO 50 8000 9000}]",
	} {
		if got := fmt.Sprint(tracer.Ran(sample, from, 3)); got != want {
			t.Errorf("from %d: %s, want %s", from, got, want)
		}
	}
	if got := tracer.Ran(sample, 0, 1); len(got) != 1 || got[0].ToNS != 9000 {
		t.Errorf("the last one: %+v", got)
	}
}

// TestHistory keeps the newest marks and knows from when on.
func TestHistory(t *testing.T) {
	h := &history{}
	for i := range int64(3 * kept) {
		h.add([]sys.Mark{{TimeNS: i}}, false)
	}
	if n := len(h.marks); n < kept || n > 2*kept || h.marks[0].TimeNS != h.since+1 || h.marks[n-1].TimeNS != 3*kept-1 {
		t.Errorf("%d marks from %d on, since %d", len(h.marks), h.marks[0].TimeNS, h.since)
	}
	h.add([]sys.Mark{{TimeNS: 5 * kept}}, true)
	if len(h.marks) != 1 || h.since != 5*kept {
		t.Errorf("after a gap: %d marks, since %d", len(h.marks), h.since)
	}
}

func TestWriteText(t *testing.T) {
	tracer := traced(0, mark(sys.MarkSwitch, 500, 500, 3, "early", 2, nice0), mark(sys.MarkWake, 1200, 1200, me, "idle", 0, nice0), mark(sys.MarkIRQ, 1300, 1400, 19, "hog", 20, fifo50))
	var b strings.Builder
	if err := tracer.WriteText(&b, 600, sample); err != nil {
		t.Fatal(err)
	}
	var events []string
	for line := range strings.Lines(b.String()) {
		if _, event, ok := strings.Cut(line, "["); ok {
			events = append(events, strings.TrimSpace(event))
		}
	}
	want := "000]       0.000001000: siglat: expires|000]       0.000001100: siglat: fired|000]       0.000001150: siglat: sent|" +
		"000]       0.000001200: sched_waking: pid=7|000]       0.000001400: interrupt: irq 19, 100 ns|000]       0.000009000: siglat: received"
	if got := strings.Join(events, "|"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
