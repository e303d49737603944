// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"siglat/analysis/recording"
	"siglat/sigwait"
)

// A rotation splits what is recorded into run directories, while the signals
// go on. All fields are zero where there is none.
type rotation struct {
	effective sigwait.Effective
	carried   sigwait.Counts // of the directories before
	before    int            // how many these are
	finished  chan error     // of the one before, while it is written
}

// stampFormat names the directories of a rotation, in UTC.
const stampFormat = "20060102T150405Z"

// create makes a run directory: that of --out, or one in it.
func (r *recorder) create() (*recording.Writer, error) {
	if r.o.rotate == 0 {
		return recording.Create(recording.Options{Dir: r.o.out, Samples: r.o.samples, Interval: interval})
	}
	stamp := time.Now().UTC().Format(stampFormat)
	for n := 1; ; n++ {
		name := stamp
		if n > 1 { // the clock was set back
			name = fmt.Sprintf("%s-%d", stamp, n)
		}
		w, err := recording.Create(recording.Options{Dir: filepath.Join(r.o.out, name), Samples: r.o.samples, Interval: interval})
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		r.run.Name = r.o.name + "/" + name
		return w, err
	}
}

// record into w from now on.
func (r *recorder) into(w *recording.Writer) {
	r.writer, r.total, r.parts = w, w.Total(recording.SegmentLatency), newSegmenter(w)
}

// progress takes the counts until now, and goes on in a new directory when it
// is time to. Signals on their way belong to the new one.
func (r *recorder) progress(n sigwait.Counts) {
	r.metrics.Count(&n)
	if r.o.rotate == 0 || r.ended() || time.Since(r.start) < r.o.rotate {
		return
	}
	if err := r.rotate(&n); err != nil && r.failed == nil {
		r.failed = err
		r.stop()
	}
}

func (r *recorder) rotate(n *sigwait.Counts) error {
	if err := r.lastFinished(); err != nil {
		return err
	}
	next, err := newRun(r.o)
	if err != nil {
		return err
	}
	done, writer := r.run, r.writer
	r.run = next
	w, err := r.create()
	r.run = done
	if err != nil {
		return err // the run of now is then ended as the last
	}
	r.complete(&sigwait.Result{Effective: r.effective, Counts: *n}, true, nil)
	r.run = next
	r.into(w)
	r.worst, r.late, r.cpus = newWorst(), newWorst(), newPerCPU(r.o.config.CPUs)
	r.interval, r.carried = 0, *n
	r.before++
	r.begin()
	// The disk may take seconds; the ring does not hold as many.
	r.finished = make(chan error, 1)
	go func(finished chan<- error) { finished <- writer.Finish(done) }(r.finished)
	return nil
}

// lastFinished waits until the directory before is written.
func (r *recorder) lastFinished() error {
	if r.finished == nil {
		return nil
	}
	err := <-r.finished
	r.finished = nil
	return err
}

// since returns what became of the signals after those of before.
func since(n, before sigwait.Counts) sigwait.Counts {
	for _, c := range []struct {
		of     *uint64
		before uint64
	}{
		{&n.Sent, before.Sent}, {&n.Received, before.Received}, {&n.Lost, before.Lost}, {&n.Refused, before.Refused},
		{&n.Overruns, before.Overruns}, {&n.Duplicates, before.Duplicates}, {&n.Reordered, before.Reordered},
		{&n.Invalid, before.Invalid}, {&n.WrongCPU, before.WrongCPU}, {&n.RingDrops, before.RingDrops}, {&n.EventDrops, before.EventDrops},
	} {
		// Sent and Lost fall if a signal comes after a later one.
		*c.of -= min(*c.of, c.before)
	}
	return n
}
