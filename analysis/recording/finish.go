// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"siglat/analysis"
	"siglat/analysis/atomicfile"
)

// Finish ends the run: it writes what the interval in progress still holds
// (from its start to run.ElapsedNS), fills Version, Segments and, unless it is
// an import, Latency of run from the totals, and writes run.json, last and as a whole. It closes
// the Writer. Errors name the file, ENOSPC among them; run.json is then not
// there, and what latency.hlog holds can still be read.
func (w *Writer) Finish(run *Run) error {
	err := w.finish(run)
	w.kept = true
	return errors.Join(err, w.Close())
}

func (w *Writer) finish(run *Run) error {
	end := max(time.Duration(run.ElapsedNS), w.log.end)
	if err := w.Interval(w.log.end, end); err != nil {
		return err
	}
	if err := w.log.totals(w.segments); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	for _, f := range []*os.File{w.logFile, w.sampleFile} {
		if f == nil {
			continue
		}
		if err := f.Sync(); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	run.Version = Version
	if run.Import == nil { // else its own figures are finer than those of classes
		run.Latency = w.Total(SegmentLatency).Summary()
	}
	run.Segments = map[string]analysis.Summary{}
	for _, s := range w.segments {
		if s.total.Count() > 0 {
			run.Segments[s.name] = s.total.Summary()
		}
	}
	return atomicfile.Write(filepath.Join(w.dir, RunFile), func(out io.Writer) error {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(run.listed())
	})
}

// listed returns the run with empty lists in place of missing ones, so that
// readers of the JSON meet no null.
func (r Run) listed() Run {
	if r.Command == nil {
		r.Command = []string{}
	}
	if r.Worst == nil {
		r.Worst = []Sample{}
	}
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
	if r.Effective.CPUs == nil {
		r.Effective.CPUs = []int{}
	}
	if r.Host.IdleStates == nil {
		r.Host.IdleStates = []string{}
	}
	return r
}

// Close gives up a run that was not finished. Ended intervals stay; when
// nothing was recorded, it removes the files and the directory that Create
// made. After Finish it does nothing.
func (w *Writer) Close() error {
	var err error
	for _, f := range []**os.File{&w.logFile, &w.sampleFile} {
		if *f == nil {
			continue
		}
		err = errors.Join(err, (*f).Close())
		if !w.kept {
			err = errors.Join(err, os.Remove((*f).Name()))
		}
		*f = nil
	}
	if !w.kept && w.made != "" {
		err = errors.Join(err, os.Remove(w.made))
		w.made = ""
	}
	return err
}
