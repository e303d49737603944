// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"siglat/cmd/siglab/internal/plan"
)

// terminal returns w if it is a terminal, else nil.
func terminal(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return w
	}
	return nil
}

// A reporter tells of runs: a line for each that ended, and on a terminal a
// bar below.
type reporter struct {
	mu      sync.Mutex
	w       io.Writer
	bar     *progressbar.ProgressBar
	started map[string]time.Time
	stop    chan struct{}
}

func newReporter(w io.Writer, runs int, bar bool) *reporter {
	r := &reporter{w: w, started: map[string]time.Time{}, stop: make(chan struct{})}
	if bar && terminal(w) != nil {
		r.bar = progressbar.NewOptions(runs, progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription("runs"), progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false),
			progressbar.OptionFullWidth(), progressbar.OptionSetRenderBlankState(true))
		go r.refresh()
	}
	return r
}

// refresh keeps the elapsed time moving.
func (r *reporter) refresh() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-r.stop:
			return
		case <-tick.C:
			r.mu.Lock()
			_ = r.bar.RenderBlank()
			r.mu.Unlock()
		}
	}
}

func (r *reporter) close() {
	close(r.stop)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Exit()
		fmt.Fprintln(r.w)
	}
}

// Start implements runner.Reporter.
func (r *reporter) Start(run plan.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started[run.Name] = time.Now()
}

// Done implements runner.Reporter.
func (r *reporter) Done(run plan.Run, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	if err != nil {
		line := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
		fmt.Fprintf(r.w, "siglab: run %s failed: %s\n", run.Name, line)
	} else {
		fmt.Fprintf(r.w, "run %s: done in %.1f s\n", run.Name, time.Since(r.started[run.Name]).Seconds())
	}
	if r.bar != nil {
		_ = r.bar.Add(1)
	}
}
