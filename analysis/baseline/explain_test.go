// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"reflect"
	"testing"
)

func measured() *Baseline {
	return &Baseline{
		PingPong: Switch{SwitchNS: 3400}, Eventfd: Switch{SwitchNS: 3100}, Futex: &Switch{SwitchNS: 3200}, Across: &Switch{SwitchNS: 5400},
		Calls:  []Call{{CostCheck, 1160}, {CostTaken, 2760}, {CostRead, 3770}, {CostStamped, 3380}, {CostWakeUp, 1100}},
		Module: &Module{IRQ: Latency{P50NS: 1400}, Kthread: Latency{P50NS: 5000}, RestNS: 800},
	}
}

func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		p       Path
		parts   []Part
		unknown int64
		floor   Part
	}{
		"same CPU": {Path{Source: "kernel", Receiver: "sigwait", Context: "softirq", Same: true, MedianNS: 5762},
			[]Part{{Interrupt, 800}, {WakeUp, 1100}, {Switching, 2100}, {Signal, 1600}}, 162, Part{"wake-up by eventfd", 3100}},
		"same CPU, FIFO": {Path{Source: "kernel", Receiver: "sigwait", Same: true, RealTime: true, MedianNS: 5000},
			[]Part{{Interrupt, 800}, {WakeUp, 1100}, {Switching, 1700}, {Signal, 1600}}, -200, Part{"wake-up by eventfd", 3100}},
		"other CPU": {Path{Source: "kernel", Receiver: "signalfd", Other: true, MedianNS: 9000},
			[]Part{{WakeUp, 1100}, {Switching, 2100}, {OtherCPU, 2200}, {Signal, 2610}}, 990, Part{"futex on the other CPU", 5400}},
		"thread of the module": {Path{Source: "kernel", Receiver: "pause", Context: "thread", Same: true, RealTime: true, MedianNS: 6000},
			[]Part{{WakeUp, 1100}, {Switching, 2100}, {Signal, 2220}}, 580, Part{"wake-up by eventfd", 3100}},
		"busy": {Path{Source: "kernel", Receiver: "busy", Same: true, MedianNS: 2700},
			[]Part{{Interrupt, 800}, {Signal, 2220}}, -320, Part{"rest of the interrupt", 800}},
		"busy, other CPU": {Path{Source: "kernel", Receiver: "busy", Other: true, MedianNS: 3900}, []Part{{Signal, 2220}}, 1680, Part{}},
		"sender":          {Path{Source: "user", Receiver: "sigwait", MedianNS: 6000}, []Part{{Sending, 1160}, {WakeUp, 1100}, {Switching, 2100}, {Signal, 1600}}, 40, Part{"wake-up by eventfd", 3100}},
		"sleeping thread": {Path{Source: "timer", Receiver: "nanosleep", Same: true, RealTime: true, MedianNS: 5200},
			[]Part{{Interrupt, 2200}, {WakeUp, 1100}, {Switching, 1700}}, 200, Part{"wake-up by eventfd", 3100}},
		"kthread": {Path{Source: "kernel", Mode: "kthread", Same: true, RealTime: true, MedianNS: 5000},
			[]Part{{Interrupt, 2200}, {WakeUp, 1100}, {Switching, 1700}}, 0, Part{"wake-up by eventfd", 3100}},
		"irq": {Path{Source: "kernel", Mode: "irq", Same: true, MedianNS: 1500}, []Part{{Interrupt, 1400}}, 100, Part{}},
	} {
		e := measured().Explain(c.p)
		if want := (Explanation{c.p.MedianNS, c.parts, c.unknown, c.floor}); !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, want %+v", name, e, want)
		}
		sum := e.UnknownNS
		for _, p := range e.Parts {
			sum += p.NS
		}
		if sum != c.p.MedianNS {
			t.Errorf("%s: parts and rest are %d of %d", name, sum, c.p.MedianNS)
		}
	}
}

// Without the module, other CPUs and real-time priorities there is less to
// tell, and more unknown.
func TestExplainLittle(t *testing.T) {
	b := &Baseline{PingPong: Switch{SwitchNS: 3400}, Eventfd: Switch{SwitchNS: -5}}
	e := b.Explain(Path{Source: "kernel", Receiver: "sigwait", Same: true, RealTime: true, MedianNS: 6000})
	if want := (Explanation{6000, []Part{{Waking, 3400}}, 2600, Part{"wake-up through a pipe", 3400}}); !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
	e = b.Explain(Path{Source: "kernel", Receiver: "busy", Other: true, MedianNS: 10})
	if e.Parts != nil || e.UnknownNS != 10 || e.Floor.Name != "" {
		t.Errorf("%+v", e)
	}
}
