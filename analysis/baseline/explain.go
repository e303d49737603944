// SPDX-License-Identifier: GPL-2.0-only

package baseline

// A Path is what of a run decides which parts its latencies have.
type Path struct {
	Source   string // kernel, user or timer
	Mode     string // of the source kernel: user (also empty), kthread or irq
	Receiver string
	Context  string // in which the module sends
	RealTime bool   // the receiver has a real-time priority
	Same     bool   // the receiver is on the CPU of the timer or sender
	Other    bool   // it is on another one; neither: not known
	MedianNS int64  // of the latencies
}

// A Part of a median.
type Part struct {
	Name string
	NS   int64
}

// Names of parts.
const (
	Interrupt = "timer interrupt"
	Sending   = "call of the sender"
	WakeUp    = "wake-up"
	Switching = "context switch"
	Waking    = "wake-up and context switch" // where one of the two is not known
	OtherCPU  = "way to the other CPU"
	Signal    = "signal"
)

// An Explanation tells what the median of a run consists of, by what each part
// took by itself. Their sum and UnknownNS are the median.
type Explanation struct {
	MedianNS  int64
	Parts     []Part // above zero, in the order of the way
	UnknownNS int64  // below zero where the parts by themselves took longer
	Floor     Part   // the cheapest way that was measured; without a name where none was
}

func (e *Explanation) add(name string, ns int64) {
	if ns > 0 {
		e.Parts = append(e.Parts, Part{name, ns})
		e.UnknownNS -= ns
	}
}

// Explain explains the median of a run. What was not measured is in the
// unknown rest.
func (b *Baseline) Explain(p Path) Explanation {
	e := Explanation{MedianNS: p.MedianNS, UnknownNS: p.MedianNS, Floor: b.floor(p)}
	if m := b.Module; m != nil && p.Same && p.Context != "thread" {
		switch {
		case p.Mode == "irq":
			e.add(Interrupt, m.IRQ.P50NS)
		case p.Source == "timer" || p.Mode == "kthread":
			e.add(Interrupt, m.IRQ.P50NS+m.RestNS)
		case p.Source == "kernel":
			e.add(Interrupt, m.RestNS) // the rest of it: the latency begins in it
		}
	}
	if p.Source == "user" {
		check, _ := b.Cost(CostCheck)
		e.add(Sending, check)
	}
	if p.sleeps() {
		b.wakeUp(&e, p)
	}
	e.add(Signal, b.signal(p))
	return e
}

func (p Path) sleeps() bool {
	return p.Mode != "irq" && p.Receiver != "busy" && p.Receiver != "poll"
}

func (b *Baseline) wakeUp(e *Explanation, p Path) {
	all := b.PingPong
	if b.Futex != nil {
		all = *b.Futex
	}
	ns := all.SwitchNS
	// The module's thread is woken like a receiver of real-time priority, from
	// the same interrupt, in the same moment.
	if p.Same && p.RealTime && p.Context != "thread" && b.Module != nil {
		ns = b.Module.switchNS()
	}
	if wake, ok := b.Cost(CostWakeUp); ok && wake > 0 && wake < ns {
		e.add(WakeUp, wake)
		e.add(Switching, ns-wake)
	} else {
		e.add(Waking, ns)
	}
	if p.Other && b.Across != nil {
		e.add(OtherCPU, b.Across.SwitchNS-all.SwitchNS)
	}
}

// switchNS is from the end of the interrupt to the module's thread.
func (m *Module) switchNS() int64 { return m.Kthread.P50NS - m.IRQ.P50NS - m.RestNS }

// signal returns what a signal costs to the receiver: what it takes longer to
// send one to oneself and to receive it than to send none. The call that takes
// it is in it as a whole; its entry, before the signal comes, stands for the
// clock that is read after.
func (b *Baseline) signal(p Path) int64 {
	if p.Source == "timer" || p.Mode == "kthread" || p.Mode == "irq" {
		return 0
	}
	name := map[string]string{"sigwait": CostTaken, "poll": CostTaken, "signalfd": CostRead,
		"pause": CostStamped, "busy": CostStamped, "notify": CostStamped}[p.Receiver]
	check, ok1 := b.Cost(CostCheck)
	ns, ok2 := b.Cost(name)
	if !ok1 || !ok2 {
		return 0
	}
	return ns - check
}

// floor returns the cheapest way that was measured of those that lead where the
// path leads.
func (b *Baseline) floor(p Path) Part {
	var ways []Part
	switch m := b.Module; {
	case !p.sleeps():
		if m != nil && p.Same && p.Mode != "irq" && p.Context != "thread" {
			ways = []Part{{"rest of the interrupt", m.RestNS}}
		}
	case p.Other:
		if b.Across != nil {
			ways = []Part{{"futex on the other CPU", b.Across.SwitchNS}}
		}
	default:
		ways = []Part{{"wake-up through a pipe", b.PingPong.SwitchNS}, {"wake-up by eventfd", b.Eventfd.SwitchNS}}
		if b.Futex != nil {
			ways = append(ways, Part{"wake-up by futex", b.Futex.SwitchNS})
		}
		if m != nil {
			ways = append(ways, Part{"the module's thread", m.Kthread.P50NS - m.IRQ.P50NS})
		}
	}
	var least Part
	for _, w := range ways {
		if w.NS > 0 && (least.Name == "" || w.NS < least.NS) {
			least = w
		}
	}
	return least
}
