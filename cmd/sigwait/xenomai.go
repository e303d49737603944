// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

// A table prints a run as Xenomai's latency prints its own: microseconds from
// the expiry of the timer, a line RTD a second, and RTS at the end. The form is
// that of Xenomai 2: later ones also have a column of its own mode switches.
type table struct {
	w        io.Writer
	text     string // of the mode
	period   time.Duration
	priority int
	asked    time.Duration // how long the run shall take
	lines    int
	all      *analysis.Distribution
	overruns uint64
}

// modeTexts are Xenomai's names of its test modes 0, 1 and 2.
var modeTexts = map[sigwait.Mode]string{
	sigwait.ModeUser:    "periodic user-mode task",
	sigwait.ModeKthread: "in-kernel periodic task",
	sigwait.ModeIRQ:     "in-kernel timer handler",
}

// linesToHeading is how many lines come before the heading again.
const linesToHeading = 21

func newTable(o *options, w io.Writer) *table {
	c := &o.config
	t := &table{w: w, text: modeTexts[c.Mode], period: c.Period, asked: o.duration, all: analysis.NewDistribution()}
	if t.asked == 0 {
		t.asked = time.Duration(c.Count) * c.Period
	}
	fmt.Fprintf(w, "== Sampling period: %d us\n== Test mode: %s\n== All results in microseconds\n", c.Period.Microseconds(), t.text)
	return t
}

func (t *table) add(ns int64, overruns uint64) {
	t.all.Record(ns)
	t.overruns += overruns
}

func (t *table) line(elapsed time.Duration, second *analysis.Distribution) {
	if second.Count() == 0 {
		return
	}
	if t.lines%linesToHeading == 0 {
		fmt.Fprintf(t.w, "RTT|  %s  (%s, %d us period, priority %d)\n", clock(elapsed), t.text, t.period.Microseconds(), t.priority)
		fmt.Fprint(t.w, "RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n")
	}
	t.lines++
	fmt.Fprintf(t.w, "RTD|%12s|%12s|%12s|%8d|%12s|%12s\n", micro(second.Min()), micro(mean(second)), micro(second.Max()),
		t.overruns, micro(t.all.Min()), micro(t.all.Max()))
}

// end prints the figures of the whole run.
func (t *table) end(run *recording.Run) error {
	out := bufio.NewWriter(t.w)
	elapsed := time.Duration(run.ElapsedNS)
	if t.all.Count() > 0 {
		fmt.Fprint(out, "---|------------|------------|------------|--------|-------------------------\n")
		fmt.Fprintf(out, "RTS|%12s|%12s|%12s|%8d|    %s/%s\n", micro(t.all.Min()), micro(mean(t.all)), micro(t.all.Max()),
			run.Counts.Overruns, clock(elapsed), clock(t.asked))
	}
	for _, text := range run.Warnings {
		fmt.Fprintf(out, "warning: %s\n", text)
	}
	return outputError(out.Flush())
}

func mean(d *analysis.Distribution) int64 { return int64(d.Mean() + 0.5) }

// micro returns ns in us, exactly.
func micro(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	return fmt.Sprintf("%s%d.%03d", sign, ns/1000, ns%1000)
}

// clock returns HH:MM:SS.
func clock(d time.Duration) string {
	s := int64(d / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}
