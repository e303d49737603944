// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"siglat/analysis"
	"siglat/sigwait"
)

// terminal tells whether a person looks at w.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A screen shows a run as it goes on: a line a second, and a progress bar
// where standard error is a terminal too. A nil one shows nothing.
type screen struct {
	w         io.Writer
	bar       *progressbar.ProgressBar
	byTime    bool
	second    *analysis.Distribution // samples since the last line
	min, max  int64
	any, head bool
	table     *table // nil: not as Xenomai's latency
}

const header = "    time      min     mean      max     best    worst   count  lost   (ns)\n"

func newScreen(o *options, stdout, stderr io.Writer) *screen {
	s := &screen{w: stdout, second: analysis.NewDistribution()}
	if o.xenomai {
		s.table = newTable(o, stdout)
	}
	if !terminal(stderr) {
		return s
	}
	// The bar follows what ends the run; without such an end there is none.
	total := int64(o.config.Count) * int64(max(len(o.config.CPUs), 1))
	if s.byTime = o.duration > 0 && total == 0; s.byTime {
		total = o.duration.Milliseconds()
	}
	if total > 0 {
		s.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetWidth(40), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(500*time.Millisecond), progressbar.OptionSetPredictTime(true))
	}
	return s
}

// started is told what is in force.
func (s *screen) started(eff sigwait.Effective) {
	if s != nil && s.table != nil {
		s.table.priority = eff.Priority
	}
}

func (s *screen) add(sample *sigwait.Sample) {
	if s == nil {
		return
	}
	ns := sample.LatencyNS
	if s.table != nil {
		ns = way(sample)
		s.table.add(ns, sample.Overruns)
	}
	if s.second.Record(ns); !s.any {
		s.min, s.max, s.any = ns, ns, true
	}
	s.min, s.max = min(s.min, ns), max(s.max, ns)
}

// progress moves the bar; the terminal is no place to fail.
func (s *screen) progress(signals uint64, elapsed time.Duration) {
	if s == nil || s.bar == nil {
		return
	}
	done := int64(signals)
	if s.byTime {
		done = elapsed.Milliseconds()
	}
	_ = s.bar.Set64(min(done, s.bar.GetMax64()))
}

// line prints the figures since the last line, and best and worst of all.
func (s *screen) line(elapsed time.Duration, lost uint64) {
	if s == nil {
		return
	}
	if s.bar != nil {
		_ = s.bar.Clear()
	}
	if s.table != nil {
		s.table.line(elapsed, s.second)
	} else {
		s.figures(elapsed, lost)
	}
	s.second.Reset()
	if s.bar != nil {
		_ = s.bar.RenderBlank()
	}
}

func (s *screen) figures(elapsed time.Duration, lost uint64) {
	if !s.head {
		fmt.Fprint(s.w, header)
		s.head = true
	}
	figures := [...]any{"-", "-", "-", "-", "-"}
	if s.second.Count() > 0 {
		figures[0], figures[1], figures[2] = s.second.Min(), int64(s.second.Mean()+0.5), s.second.Max()
	}
	if s.any {
		figures[3], figures[4] = s.min, s.max
	}
	fmt.Fprintf(s.w, "%8s %8v %8v %8v %8v %8v %7d %5d\n", append(append([]any{elapsed.Truncate(time.Second)}, figures[:]...), s.second.Count(), lost)...)
}

func (s *screen) end() {
	if s != nil && s.bar != nil {
		_ = s.bar.Clear()
	}
}
