// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
	"siglat/sigwait"
)

// lines prints one latency per line. A nil one prints nothing.
type lines struct {
	w      *bufio.Writer
	number []byte
}

func newLines(w io.Writer) *lines { return &lines{w: bufio.NewWriterSize(w, 64<<10)} }

// add never fails: a bufio.Writer keeps its error for flush.
func (l *lines) add(ns int64) {
	if l == nil {
		return
	}
	l.number = append(strconv.AppendInt(l.number[:0], ns, 10), '\n')
	_, _ = l.w.Write(l.number)
}

func (l *lines) flush() error {
	if l == nil {
		return nil
	}
	return outputError(l.w.Flush())
}

// errEnough says that the reader of standard output has gone, as head does.
var errEnough = errors.New("nobody reads the output any more")

// quiet drops the error that is none.
func quiet(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func outputError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EPIPE):
		return errEnough
	}
	return fmt.Errorf("write standard output: %w", reason(err))
}

func printJSON(w io.Writer, run *recording.Run) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return outputError(e.Encode(run))
}

// worst keeps the samples with the highest latencies, or longest ways, first.
type worst struct {
	list []recording.Sample
	ways []int64 // what they are ranked by
}

const worstKept = 10

func newWorst() *worst {
	return &worst{make([]recording.Sample, 0, worstKept), make([]int64, 0, worstKept)}
}

// way returns how long a sample took, from the expiry of its timer where that
// is known.
func way(s *sigwait.Sample) int64 {
	if !s.HasParts {
		return s.LatencyNS
	}
	return s.TimerNS + s.ModuleNS + s.LatencyNS
}

// add takes a sample with what it is ranked by; base is the clock of its stamp
// at the start of the run. What it returns is nil if the sample is not kept,
// and valid until the next.
func (w *worst) add(s *sigwait.Sample, ns, base int64) *recording.Sample {
	full := len(w.list) == worstKept
	if full && ns <= w.ways[worstKept-1] {
		return nil
	}
	i := len(w.list)
	for i > 0 && w.ways[i-1] < ns {
		i--
	}
	if full {
		w.list, w.ways = w.list[:worstKept-1], w.ways[:worstKept-1]
	}
	w.ways = slices.Insert(w.ways, i, ns)
	w.list = slices.Insert(w.list, i, recording.Sample{
		Seq: s.Seq, ReceivedNS: s.ReceivedNS - base, LatencyNS: s.LatencyNS, CPU: s.CPU,
		Parts: parts(s),
	})
	return &w.list[i]
}
