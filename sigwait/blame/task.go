// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"siglat/sigwait/internal/sys"
)

// A Task is a thread as the kernel's scheduler sees it.
type Task struct {
	Name     string // at most 15 bytes
	PID      int    // number of the thread; 0 is the idle task
	Policy   string // as in sched(7): other, fifo, rr, batch, idle, deadline; empty where it is not known
	Priority int    // 1 to 99 for real-time policies in force, else 0
	Nice     int    // -20 to 19 for the others, else 0
}

func (t Task) String() string {
	name := fmt.Sprintf("%s/%d", t.Name, t.PID)
	switch {
	case t.PID == 0:
		return t.Name
	case t.Policy == "" && t.Priority == 0 && t.Nice == 0:
		return name // tracefs does not tell the policy
	case t.Priority > 0:
		return fmt.Sprintf("%s %s %d", name, strings.ToUpper(cmp.Or(t.Policy, "priority")), t.Priority)
	case t.Nice != 0:
		return strings.Join(strings.Fields(fmt.Sprintf("%s %s nice %d", name, strings.ToUpper(t.Policy), t.Nice)), " ")
	}
	return name + " " + strings.ToUpper(t.Policy)
}

// policies by their numbers in linux/sched.h.
var policies = map[uint32]string{0: "other", 1: "fifo", 2: "rr", 3: "batch", 5: "idle", 6: "deadline", 7: "ext"}

// current returns the task that a mark describes. Its priority is the one in
// force, so that it may be real-time with another policy, by inheritance.
func current(m *sys.Mark) Task {
	name, _, _ := bytes.Cut(m.Comm[:], []byte{0})
	t := Task{Name: string(name), PID: int(m.PID), Policy: policies[m.Policy]}
	const realTime, niceZero = 99, 120 // linux/sched/prio.h
	switch {
	case m.Prio >= 0 && m.Prio < realTime:
		t.Priority = int(realTime - m.Prio)
	case m.Prio > realTime && m.Prio < 140:
		t.Nice = int(m.Prio - niceZero)
	}
	return t
}

// softirqs in the order of linux/interrupt.h.
var softirqs = []string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}

// vectors of x86, asm/irq_vectors.h.
var vectors = map[uint32]string{0xec: "local timer", 0xf6: "irq work", 0xfb: "call function single", 0xfc: "call function", 0xfd: "reschedule"}

// interruptName returns the name of an interrupt, empty for other marks.
func interruptName(m *sys.Mark) string {
	switch m.Kind {
	case sys.MarkIRQ:
		return fmt.Sprintf("irq %d", m.Number)
	case sys.MarkSoftIRQ:
		if int(m.Number) < len(softirqs) {
			return "softirq " + softirqs[m.Number]
		}
		return fmt.Sprintf("softirq %d", m.Number)
	case sys.MarkVector:
		if name, ok := vectors[m.Number]; ok {
			return name
		}
		return fmt.Sprintf("vector %#x", m.Number)
	}
	return ""
}
