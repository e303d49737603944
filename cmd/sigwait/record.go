// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/cmd/sigwait/internal/metrics"
	"siglat/sigwait"
)

// A recorder takes the samples of a run to all places that want them.
type recorder struct {
	o      *options
	hangup *atomic.Bool // nobody is there for standard output, and that is fine
	stop   context.CancelFunc
	out    *lines            // nil: no samples on standard output
	screen *screen           // nil: no terminal
	writer *recording.Writer // nil: no run directory
	run    *recording.Run
	total  *analysis.Distribution
	parts  *segmenter
	worst  *worst
	cpus   *perCPU
	blame  *blamer // nil: nobody is to blame
	late   *worst  // by the whole way, with blame
	broken *broken // above the threshold

	metrics *metrics.Metrics // nil: nobody reads them
	rotation
	ended func() bool // the run is over

	began    time.Time   // of all directories
	start    time.Time   // of this directory
	timer    *time.Timer // ends the run after its duration
	base     int64       // reading of the stamps' clock at start
	interval time.Duration
	received uint64
	next     uint64 // highest sequence number so far, plus one
	failed   error  // first failure to write
}

const interval = time.Second

func newRecorder(o *options, hangup *atomic.Bool) (*recorder, error) {
	run, err := newRun(o)
	if err != nil {
		return nil, err
	}
	return &recorder{o: o, hangup: hangup, run: run, total: analysis.NewDistribution(), worst: newWorst(), late: newWorst(), cpus: newPerCPU(o.config.CPUs)}, nil
}

// record makes the run and writes all results that there are, even when it
// ends with an error.
func (r *recorder) record(whole context.Context, e engine, stdout, stderr io.Writer) error {
	ctx, stop := context.WithCancel(whole)
	defer stop()
	r.stop, r.ended = stop, func() bool { return ctx.Err() != nil }
	server, err := r.serve(stderr)
	if err != nil {
		return err
	}
	defer server.Close()
	r.parts = newSegmenter(nil)
	if r.o.out != "" {
		w, err := r.create()
		if err != nil {
			return err
		}
		r.into(w)
		defer func() { r.writer.Close() }()
	}
	switch {
	case r.o.quiet || r.o.json:
	case terminal(stdout):
		r.screen = newScreen(r.o, stdout, stderr)
	default:
		r.out = newLines(stdout)
	}
	started := func(eff sigwait.Effective) {
		if r.o.blame {
			r.blame = r.openBlame(&eff, e, stderr)
		}
		r.started(eff)
	}
	config := r.o.config
	if r.metrics != nil || r.o.rotate > 0 {
		config.Progress = r.progress
	}
	res, err := e.run(ctx, config, started, r.samples)
	r.metrics.Count(&res.Counts)
	r.run.Warnings = append(r.run.Warnings, r.blame.end()...)
	if r.start.IsZero() {
		return err // nothing was measured: nothing is left behind
	}
	timeUp := r.timer != nil && !r.timer.Stop()
	r.screen.end()
	err = errors.Join(err, quiet(r.failed), r.lastFinished())
	happened := r.complete(res, timeUp, err)
	if r.writer != nil {
		err = joinNew(err, r.writer.Finish(r.run))
		err = errors.Join(err, r.writeBlame())
	}
	err = errors.Join(err, r.show(happened, stdout, stderr))
	if err == nil && r.broken != nil {
		err = r.broken.exceeded(r.o.breakAbove)
	}
	server.Last(whole)
	return err
}

// joinNew joins errors, unless the second says what the first has said: a full
// disk is met again when the run is ended.
func joinNew(first, second error) error {
	if first != nil && second != nil && strings.Contains(first.Error(), second.Error()) {
		return first
	}
	return errors.Join(first, second)
}

// started is called once, before the first signal.
func (r *recorder) started(e sigwait.Effective) {
	r.screen.started(e)
	r.effective = e
	r.metrics.Info(labels(r.o.name, r.run, effective(r.o, &sigwait.Result{Effective: e})))
	r.begin()
	r.began = r.start
	if r.failed = r.startBlame(); r.failed != nil {
		r.stop()
	}
	if r.o.duration > 0 {
		r.timer = time.AfterFunc(r.o.duration, r.stop)
	}
}

// begin notes the time at which what is recorded begins.
func (r *recorder) begin() {
	clock := int32(unix.CLOCK_MONOTONIC)
	if r.o.config.Clock == sigwait.ClockRealtime {
		clock = unix.CLOCK_REALTIME
	}
	// In this order nothing is received later into the run than it lasts.
	r.start = time.Now()
	r.run.Start = r.start
	var now unix.Timespec
	_ = unix.ClockGettime(clock, &now) // fails for unknown clocks only
	r.base = now.Nano()
}

// samples takes a batch. A failure to write ends the run.
func (r *recorder) samples(batch []sigwait.Sample) {
	r.blame.fill()
	for i := range batch {
		r.sample(&batch[i])
	}
	err := r.flush()
	if elapsed := time.Since(r.start); elapsed-r.interval >= interval {
		err = errors.Join(err, r.tick(elapsed))
	}
	err = errors.Join(err, r.blame.tick(time.Since(r.start)))
	r.screen.progress(r.next, time.Since(r.began))
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
	if r.broken != nil {
		r.broken.later++
		return
	}
	if r.writer != nil {
		r.writer.Record(recording.SegmentLatency, s.LatencyNS)
	} else {
		r.total.Record(s.LatencyNS)
	}
	r.parts.add(s)
	r.judge(s)
	r.cpus.add(s)
	r.out.add(s.LatencyNS)
	r.screen.add(s)
	r.metrics.Add(s.LatencyNS)
}

// flush passes the lines on. After a failure there are no more of them.
func (r *recorder) flush() error {
	err := r.out.flush()
	if err == nil {
		return nil
	}
	r.out = nil
	if r.hangup.Load() {
		return nil
	}
	return err
}

// tick ends an interval.
func (r *recorder) tick(elapsed time.Duration) error {
	r.screen.line(time.Since(r.began), r.next-min(r.next, r.received))
	before := r.interval
	r.interval = elapsed
	if r.writer == nil {
		return nil
	}
	return r.writer.Interval(before, elapsed)
}

// complete fills in what is known at the end and returns the warnings about
// what happened.
func (r *recorder) complete(res *sigwait.Result, timeUp bool, err error) (happened []string) {
	run := r.run
	run.ElapsedNS = int64(time.Since(r.start))
	endless := r.o.config.Count == 0 && r.o.duration == 0
	run.Complete = (res.Complete || timeUp || endless) && err == nil
	run.Effective = effective(r.o, res)
	run.Counts = counts(since(res.Counts, r.carried))
	run.Worst = r.worst.list
	if r.blame != nil {
		run.Longest = r.late.list
	}
	run.Latency = r.total.Summary()
	run.CPUs = r.cpus.summaries()
	run.Segments = map[string]analysis.Summary{}
	if r.total.Count() > 0 {
		run.Segments[recording.SegmentLatency] = run.Latency
	}
	r.parts.summaries(run.Segments)
	run.Culprits = r.blame.ranking()
	if r.broken != nil {
		run.Warnings = append(run.Warnings, r.broken.text(r.o.breakAbove))
	}
	happened = events(run.Counts)
	run.Warnings = append(run.Warnings, happened...)
	if text := early(run, err); text != "" {
		run.Warnings = append(run.Warnings, text)
		if err == nil {
			happened = append(happened, text)
		}
	}
	run.Warnings = append(run.Warnings, res.Warnings...)
	run.Warnings = append(run.Warnings, conditions(run)...)
	return happened
}

// show prints what belongs to the end of a run.
func (r *recorder) show(happened []string, stdout, stderr io.Writer) error {
	var err error
	switch {
	case r.o.json:
		err = printJSON(stdout, r.run)
	case r.screen != nil && r.screen.table != nil:
		err = r.screen.table.end(r.run)
	case r.screen != nil:
		if r.before > 0 {
			fmt.Fprintf(stdout, "\nthe last of %d run directories in %s:\n", r.before+1, r.o.out)
		}
		err = summary(stdout, r.run, r.total)
		fmt.Fprint(stderr, hints(r.o, r.run))
	case r.o.quiet, errors.Is(r.failed, errEnough):
	default:
		for _, w := range happened {
			fmt.Fprintf(stderr, "sigwait: warning: %s\n", w)
		}
	}
	if r.hangup.Load() {
		return nil
	}
	return quiet(err)
}
