// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	figures "siglat/analysis/baseline"
)

func baselineText(w io.Writer, b *figures.Baseline) error {
	policy := "SCHED_OTHER"
	if b.Priority > 0 {
		policy = fmt.Sprintf("FIFO %d", b.Priority)
	}
	fmt.Fprintf(w, "CPU %d, %s, %s time, ns, medians\n\n", b.CPU, policy, b.Clock)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "switch\tprocesses\tKiB\tpass\tcalls alone\tswitch\t")
	row := func(name string, s *figures.Switch) {
		if s != nil {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, s.Procs, s.Bytes>>10, s.PassNS, s.OverheadNS, s.SwitchNS)
		}
	}
	row("ping-pong, pipes", &b.PingPong)
	row("eventfds", &b.Eventfd)
	row("futex", b.Futex)
	row("futex, another CPU", b.Across)
	row("signal, threads", b.Signal)
	for _, s := range b.Matrix {
		row("ring", &s)
	}
	fmt.Fprintln(t)
	for _, c := range b.Calls {
		fmt.Fprintf(t, "%s\t%d\t\n", c.Name, c.NS)
	}
	fmt.Fprintf(t, "timer resolution\t%d\t\n", b.TimerResolutionNS)
	if len(b.Timers) > 0 {
		fmt.Fprintf(t, "\ntimer latency\tCPU\tmin\tmedian\tmax\t\n")
	}
	latency := func(name string, l figures.Latency) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t\n", name, l.CPU, l.MinNS, l.P50NS, l.MaxNS)
	}
	for _, l := range b.Timers {
		latency("thread", l)
	}
	if m := b.Module; m != nil {
		latency("module, irq", m.IRQ)
		latency("module, kthread", m.Kthread)
		fmt.Fprintf(t, "rest of the interrupt\t%d\t\t%d\t\t\n", m.IRQ.CPU, m.RestNS)
	}
	return t.Flush()
}
