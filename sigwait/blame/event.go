// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"siglat/sigwait/internal/sys"
)

// events that an instance records; those that are not needed exist on x86
// only.
var events = []struct {
	name   string
	needed bool
	mark   uint32 // for the end of an interrupt
	begins bool   // the begin of one
}{
	{name: "sched/sched_switch", needed: true},
	{name: "sched/sched_waking", needed: true},
	{name: "signal/signal_deliver", needed: true},
	{name: "irq/irq_handler_entry", needed: true, mark: sys.MarkIRQ, begins: true},
	{name: "irq/irq_handler_exit", needed: true, mark: sys.MarkIRQ},
	{name: "irq/softirq_entry", needed: true, mark: sys.MarkSoftIRQ, begins: true},
	{name: "irq/softirq_exit", needed: true, mark: sys.MarkSoftIRQ},
	{name: "irq_vectors/local_timer_entry", mark: sys.MarkVector, begins: true},
	{name: "irq_vectors/local_timer_exit", mark: sys.MarkVector},
	{name: "irq_vectors/reschedule_entry", mark: sys.MarkVector, begins: true},
	{name: "irq_vectors/reschedule_exit", mark: sys.MarkVector},
	{name: "irq_vectors/call_function_single_entry", mark: sys.MarkVector, begins: true},
	{name: "irq_vectors/call_function_single_exit", mark: sys.MarkVector},
}

// A format is what the kernel says of an event: its number and where fields
// lie in its content.
type format struct {
	id     uint16
	event  int // index in events
	offset map[string]int
}

// readFormat parses events/SYSTEM/EVENT/format.
func readFormat(dir string, event int) (*format, error) {
	b, err := os.ReadFile(filepath.Join(dir, "events", events[event].name, "format"))
	if err != nil {
		return nil, err
	}
	f := &format{event: event, offset: map[string]int{}}
	for line := range strings.Lines(string(b)) {
		if id, ok := strings.CutPrefix(line, "ID: "); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(id), 10, 16)
			if err != nil {
				return nil, fmt.Errorf("format of %s: %w", events[event].name, err)
			}
			f.id = uint16(n)
		}
		declared, rest, ok := strings.Cut(strings.TrimSpace(line), ";")
		var offset int
		if _, err := fmt.Sscanf(strings.TrimSpace(rest), "offset:%d;", &offset); !ok || err != nil {
			continue
		}
		name, _, _ := strings.Cut(declared[strings.LastIndexByte(declared, ' ')+1:], "[")
		f.offset[name] = offset
	}
	return f, nil
}

// number returns a 32-bit field, 0 if it is not there.
func (f *format) number(data []byte, field string) int32 {
	at, ok := f.offset[field]
	if !ok || at+4 > len(data) {
		return 0
	}
	return int32(binary.NativeEndian.Uint32(data[at:]))
}

func (f *format) name(data []byte, field string) (name [16]uint8) {
	if at, ok := f.offset[field]; ok && at < len(data) {
		copy(name[:], data[at:])
	}
	return name
}

// A converter makes marks of the events of one CPU. Events do not tell the
// current task's name: it is the one of the last switch.
type converter struct {
	formats    map[uint16]*format
	task       sys.Mark // the current task
	hard, soft int64    // when the interrupt in progress began, 0: none
	marks      []sys.Mark
}

// policyUnknown makes a mark's policy one that events do not tell.
const policyUnknown = ^uint32(0)

func (c *converter) event(ns int64, data []byte) {
	if len(data) < 8 {
		return
	}
	f := c.formats[binary.NativeEndian.Uint16(data)]
	if f == nil {
		return
	}
	m := c.task
	m.TimeNS, m.BeginNS, m.Policy = ns, ns, policyUnknown
	switch e := events[f.event]; {
	case e.name == "sched/sched_switch":
		m.Kind, m.PID, m.Number = sys.MarkSwitch, f.number(data, "prev_pid"), uint32(f.number(data, "next_pid"))
		m.Prio, m.Comm = f.number(data, "prev_prio"), f.name(data, "prev_comm")
		c.task = sys.Mark{PID: int32(m.Number), Prio: f.number(data, "next_prio"), Comm: f.name(data, "next_comm")}
	case e.name == "sched/sched_waking":
		m.Kind, m.Number = sys.MarkWake, uint32(f.number(data, "pid"))
	case e.name == "signal/signal_deliver":
		m.Kind, m.Number = sys.MarkDeliver, uint32(f.number(data, "sig"))
		m.PID = f.number(data, "common_pid")
	default:
		begun := &c.hard
		if e.mark == sys.MarkSoftIRQ {
			begun = &c.soft
		}
		if e.begins {
			*begun = ns
			return
		}
		if *begun == 0 {
			return
		}
		m.Kind, m.BeginNS = e.mark, *begun
		m.Number = uint32(f.number(data, "irq") | f.number(data, "vec") | f.number(data, "vector"))
	}
	c.marks = append(c.marks, m)
}
