// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
	"siglat/plots"
)

// baselineFacts are the medians of what a latency consists of, beside that of
// the run.
func baselineFacts(r *recording.Recording) []fact {
	b := r.Baseline
	if b == nil {
		return nil
	}
	var facts []fact
	if f, ok := hasSamples(r); ok {
		facts = append(facts, fact{"median latency of this run", ns(f.P50)})
	}
	if e, ok := plots.ExplanationOf(r); ok {
		facts = append(facts, explanationFacts(e)...)
	}
	for _, s := range []struct {
		name string
		*baseline.Switch
	}{{"switch in a ping-pong, pipes", &b.PingPong}, {"eventfds", &b.Eventfd}, {"futex", b.Futex}, {"futex, to another CPU", b.Across}, {"signal, of threads", b.Signal}} {
		if s.Switch != nil {
			facts = append(facts, fact{s.name, fmt.Sprintf("%s (%s with the calls, which take %s)", ns(s.SwitchNS), ns(s.PassNS), ns(s.OverheadNS))})
		}
	}
	for _, c := range b.Calls {
		facts = append(facts, fact{c.Name, ns(c.NS)})
	}
	facts = append(facts, latencyFacts(b)...)
	policy := "SCHED_OTHER"
	if b.Priority > 0 {
		policy = fmt.Sprintf("FIFO %d", b.Priority)
	}
	return append(facts, fact{"timer resolution", ns(b.TimerResolutionNS)}, fact{"measured on", fmt.Sprintf("CPU %d, %s", b.CPU, policy)})
}

// latencyFacts are the timers of the machine.
func latencyFacts(b *baseline.Baseline) []fact {
	var facts []fact
	add := func(name string, l baseline.Latency) {
		facts = append(facts, fact{fmt.Sprintf("%s, CPU %d", name, l.CPU), fmt.Sprintf("%s (%s to %s)", ns(l.P50NS), ns(l.MinNS), ns(l.MaxNS))})
	}
	for _, l := range b.Timers {
		add("timer to a thread that sleeps", l)
	}
	if m := b.Module; m != nil {
		add("timer to the module's callback", m.IRQ)
		add("timer to the module's thread", m.Kthread)
		facts = append(facts, fact{"rest of the interrupt after the callback", ns(m.RestNS)})
	}
	return facts
}

// explanationFacts tell what the median consists of.
func explanationFacts(e plots.Explained) []fact {
	var facts []fact
	if e.Floor.Name != "" {
		facts = append(facts, fact{"floor", fmt.Sprintf("%s, %s: the median is %.2f times as long", ns(e.Floor.NS), e.Floor.Name, float64(e.MedianNS)/float64(e.Floor.NS))})
	}
	return append(facts, fact{"explained by its parts", fmt.Sprintf("%s of %s; unknown: %s", ns(e.MedianNS-e.UnknownNS), ns(e.MedianNS), ns(e.UnknownNS))})
}

// appendWaterfall draws the parts of the median where they were measured.
func appendWaterfall(list []*figure, id string, r *recording.Recording) ([]*figure, error) {
	e, ok := plots.ExplanationOf(r)
	if !ok {
		return list, nil
	}
	var alt []string
	for _, p := range e.Parts {
		alt = append(alt, p.Name+" "+ns(p.NS))
	}
	alt = append(alt, "unknown "+ns(e.UnknownNS), "median "+ns(e.MedianNS))
	p, err := plots.Waterfall([]plots.Explained{e}, plots.Options{})
	return appendFigure(list, p, err, 3*vg.Inch, id+"-waterfall", "Where the latency of "+r.Name+" goes", strings.Join(alt, ", "),
		"What the median consists of: each part was measured by itself on the same machine; what they leave is unknown, or below zero where they share some of their time. The floor is the cheapest way that was found there.", r)
}

// appendSwitches draws the matrix of switches where it was measured.
func appendSwitches(list []*figure, id string, r *recording.Recording) ([]*figure, error) {
	if r.Baseline == nil || len(r.Baseline.Matrix) == 0 {
		return list, nil
	}
	p, err := plots.Switches(r.Baseline.Matrix, plots.Options{})
	return appendFigure(list, p, err, 3*vg.Inch, id+"-switches", "Context switches on the machine of "+r.Name,
		fmt.Sprintf("median cost of a switch in %d rings of processes", len(r.Baseline.Matrix)),
		"Median cost of a switch between processes in a ring, by their number and by the memory that each touches; the calls and the touching are subtracted.", r)
}
