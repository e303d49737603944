// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
)

// summary prints the figures of a run for a person.
func summary(w io.Writer, run *recording.Run, d *analysis.Distribution) error {
	out := bufio.NewWriter(w)
	e, c, l := run.Effective, run.Counts, run.Latency
	fmt.Fprintf(out, "\n%s receiver, %s, CPU %s", e.Receiver, policyText(e), list(e.CPUs))
	if run.Config.Source != string(sigwait.SourceTimer) {
		fmt.Fprintf(out, ", timer %s (%s)", cpuText(e.TimerCPU), e.Placement)
	}
	fmt.Fprintln(out)
	from := run.Config.Source + " source"
	if e.Context != run.Config.Source {
		from += ", " + e.Context
	}
	fmt.Fprintf(out, "%s, period %v, %v, kernel %s\n", from,
		time.Duration(run.Config.PeriodNS), time.Duration(run.ElapsedNS).Round(time.Millisecond), run.Host.Kernel)
	fmt.Fprintf(out, "sent %d  received %d  lost %d  refused %d\n", c.Sent, c.Received, c.Lost, c.Refused)
	if run.Clock == host.ClockVirtual {
		fmt.Fprintf(out, "virtual time: caches, frequencies and real interrupts are not in these figures\n")
	}
	if d.Count() > 0 {
		fmt.Fprintf(out, "latency in ns: count %d  min %d  mean %.0f  max %d  stddev %.0f\n", l.Count, l.Min, l.Mean, l.Max, l.Stddev)
		fmt.Fprintf(out, "               50%% %d  90%% %d  99%% %d  99.9%% %d\n\n", l.P50, l.P90, l.P99, l.P999)
		histogram(out, d, l)
		for _, c := range run.CPUs {
			l := c.Latency
			fmt.Fprintf(out, "CPU %-4d count %d  min %d  mean %.0f  max %d\n", c.CPU, l.Count, l.Min, l.Mean, l.Max)
		}
	}
	if len(run.Culprits) > 0 {
		fmt.Fprintln(out)
		culprits(out, run.Culprits, shownCulprits)
	}
	for _, text := range run.Warnings {
		fmt.Fprintf(out, "warning: %s\n", text)
	}
	return outputError(out.Flush())
}

func policyText(e recording.Effective) string {
	if d := e.Deadline; d != nil {
		return fmt.Sprintf("DEADLINE %v:%v:%v", time.Duration(d.RuntimeNS), time.Duration(d.DeadlineNS), time.Duration(d.PeriodNS))
	}
	if e.Priority == 0 {
		return strings.ToUpper(e.Policy)
	}
	return fmt.Sprintf("%s %d", strings.ToUpper(e.Policy), e.Priority)
}

func cpuText(cpu int) string {
	if cpu < 0 {
		return "anywhere"
	}
	return fmt.Sprintf("CPU %d", cpu)
}

func list(cpus []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(cpus), "[]"), " ", ",")
}

const (
	rows     = 12
	barWidth = 40

	shownCulprits = 5
)

// histogram draws rows of equal width up to the 99th percentile and one for
// all above. Bars are logarithmic, so that a single outlier is visible.
func histogram(w io.Writer, d *analysis.Distribution, l analysis.Summary) {
	low, high := l.Min, max(l.P99+1, l.Min+1)
	h, err := analysis.NewLinear(low, high, int(min(rows, high-low)))
	if err != nil {
		return // a span of the whole int64 range: no picture
	}
	h.Add(d)
	most := h.Over()
	for row := range h.Rows() {
		most = max(most, row.Count)
	}
	fmt.Fprintf(w, "   from ns  samples bars are logarithmic\n")
	for row := range h.Rows() {
		fmt.Fprintf(w, "%10d %8d %s\n", row.Low, row.Count, bar(row.Count, most))
	}
	fmt.Fprintf(w, "     above %8d %s\n", h.Over(), bar(h.Over(), most))
}

func bar(n, most uint64) string {
	if n == 0 {
		return ""
	}
	return strings.Repeat("#", 1+int(math.Round((barWidth-1)*math.Log(float64(n))/math.Max(math.Log(float64(most)), 1))))
}
