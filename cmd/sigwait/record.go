// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

// A recorder takes the samples of a run to all places that want them.
type recorder struct {
	o      *options
	stop   context.CancelFunc
	out    *lines            // nil: no samples on standard output
	screen *screen           // nil: no terminal
	writer *recording.Writer // nil: no run directory
	run    *recording.Run
	total  *analysis.Distribution
	worst  worst

	start    time.Time
	clock    int32 // of the stamps
	base     int64 // its reading at the start
	interval time.Duration
	received uint64
	next     uint64 // highest sequence number so far, plus one
	failed   error  // first failure to write
}

const interval = time.Second

// record makes the run and writes all results that there are, even when it
// ends with an error.
func record(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &recorder{o: o, stop: stop, total: analysis.NewDistribution(), run: newRun(o)}
	if o.out != "" {
		w, err := recording.Create(recording.Options{Dir: o.out, Samples: o.samples, Interval: interval})
		if err != nil {
			return err
		}
		defer w.Close()
		r.writer = w
	}
	switch {
	case o.quiet || o.json:
	case terminal(stdout):
		r.screen = newScreen(o, stdout, stderr)
	default:
		r.out = newLines(stdout)
	}
	res, err := sigwait.Run(ctx, o.config, r.started, r.samples)
	if r.start.IsZero() {
		return err // nothing was measured: nothing is left behind
	}
	r.screen.end()
	r.complete(res, errors.Join(err, quiet(r.failed)))
	err = errors.Join(err, quiet(r.failed), r.finish())
	return errors.Join(err, quiet(r.show(stdout, stderr)))
}

// quiet drops the error that is none.
func quiet(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// started is called once, before the first signal.
func (r *recorder) started(sigwait.Effective) {
	r.start = time.Now()
	r.run.Start = r.start
	r.clock = unix.CLOCK_MONOTONIC
	if r.o.config.Clock == sigwait.ClockRealtime {
		r.clock = unix.CLOCK_REALTIME
	}
	var now unix.Timespec
	_ = unix.ClockGettime(r.clock, &now) // fails for unknown clocks only
	r.base = now.Nano()
}

// samples takes a batch. A failure to write ends the run.
func (r *recorder) samples(batch []sigwait.Sample) {
	for i := range batch {
		r.sample(&batch[i])
	}
	err := r.out.flush()
	if elapsed := time.Since(r.start); elapsed-r.interval >= interval {
		err = errors.Join(err, r.tick(elapsed))
	}
	r.screen.progress(r.next, time.Since(r.start))
	if err != nil && r.failed == nil {
		r.failed = err
		r.stop()
	}
}

func (r *recorder) sample(s *sigwait.Sample) {
	r.received++
	r.next = max(r.next, s.Seq+1)
	if !s.Valid {
		return // not a latency; counted by the library
	}
	if r.writer != nil {
		r.writer.Record(recording.SegmentLatency, s.LatencyNS)
	} else {
		r.total.Record(s.LatencyNS)
	}
	r.worst.add(s, r.base)
	r.out.add(s.LatencyNS)
	r.screen.add(s.LatencyNS)
}

// tick ends an interval.
func (r *recorder) tick(elapsed time.Duration) error {
	lost := r.next - min(r.next, r.received)
	r.screen.line(elapsed, lost)
	before := r.interval
	r.interval = elapsed
	if r.writer == nil {
		return nil
	}
	return r.writer.Interval(before, elapsed)
}

// complete fills in what is known at the end.
func (r *recorder) complete(res *sigwait.Result, err error) {
	r.run.ElapsedNS = int64(time.Since(r.start))
	r.run.Complete = res.Complete && err == nil
	r.run.Effective = effective(r.o, res)
	r.run.Counts = counts(res.Counts)
	r.run.Worst = r.worst.list
	r.run.Warnings = warnings(r.run, res, err)
}

// finish writes the run directory, or fills in the figures without one.
func (r *recorder) finish() error {
	if r.writer != nil {
		err := r.writer.Finish(r.run)
		r.total = r.writer.Total(recording.SegmentLatency)
		return err
	}
	r.run.Latency = r.total.Summary()
	r.run.Segments = map[string]analysis.Summary{}
	if r.total.Count() > 0 {
		r.run.Segments[recording.SegmentLatency] = r.run.Latency
	}
	return nil
}

// show prints what belongs to the end of a run.
func (r *recorder) show(stdout, stderr io.Writer) error {
	switch {
	case r.o.json:
		return printJSON(stdout, r.run)
	case r.screen != nil:
		return summary(stdout, r.run, r.total)
	case !r.o.quiet:
		for _, w := range spoken(r.run) {
			fmt.Fprintf(stderr, "sigwait: warning: %s\n", w)
		}
	}
	return nil
}
