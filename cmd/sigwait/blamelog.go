// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"siglat/analysis/recording"
	"siglat/sigwait"
	"siglat/sigwait/blame"
)

// Names of the files in a run directory that hold something of each interval
// of --blame-every.
const (
	histogramFile  = "blame.hlog"      // five histograms for each CPU
	maxLatencyFile = "max_latency.txt" // the worst sample
)

// A blameLog keeps what OSADL's latency histograms keep, for intervals. A nil
// one keeps nothing.
type blameLog struct {
	every, from time.Duration // every 0: one interval
	histograms  *recording.IntervalLog
	lines       *os.File
	worst       string // line of the worst sample of this interval
	worstNS     int64
}

func newBlameLog(dir string, every time.Duration, start time.Time) (*blameLog, error) {
	h, err := recording.CreateIntervalLog(dir, histogramFile, "blame, for each CPU: timer is late, wake-up to switch, switch to stamp, sums", start)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, maxLatencyFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create run: %w", err), h.Close())
	}
	return &blameLog{every: every, histograms: h, lines: f}, nil
}

// add takes a sample all of whose parts are known.
func (l *blameLog) add(s *sigwait.Sample, v *blame.Verdict) {
	if l == nil || v.Of(blame.Unknown) != 0 {
		return
	}
	timer, wakeup, switched := v.Of(blame.Timer), v.Of(blame.Switch), v.Of(blame.User)+v.Of(blame.Own)
	for _, h := range []struct {
		name string
		ns   int64
	}{
		{"timer", timer}, {"wakeup", wakeup}, {"switch", switched},
		{"timer+wakeup", timer + wakeup}, {"timer+wakeup+switch", timer + wakeup + switched},
	} {
		l.histograms.Record(fmt.Sprintf("cpu%d-%s", s.CPU, h.name), h.ns)
	}
	if total := timer + wakeup + switched; total > l.worstNS {
		l.worst, l.worstNS = maxLatency(s, v, timer, total), total
	}
}

// maxLatency returns a line of the max_latency files of OSADL's latency
// histograms: PID PRIORITY LATENCY (TIMER'S PART) COMMAND <- PID PRIORITY
// COMMAND TIME, in us and seconds since boot.
func maxLatency(s *sigwait.Sample, v *blame.Verdict, timer, total int64) string {
	culprit := blame.Task{Name: "-"}
	if v.Culprit != nil {
		culprit = *v.Culprit
	}
	return fmt.Sprintf("%d %d %d (%d) %s <- %d %d %s %d.%06d", v.Victim.PID, kernelPriority(v.Victim), total/1000, timer/1000, v.Victim.Name,
		culprit.PID, kernelPriority(culprit), culprit.Name, s.ReceivedNS/1e9, s.ReceivedNS%1e9/1000)
}

// kernelPriority returns a priority as these files count: 1 to 99 real-time,
// -1 to -40 for nice -20 to 19.
func kernelPriority(t blame.Task) int {
	if t.Priority > 0 {
		return t.Priority
	}
	return -21 - t.Nice
}

// tick ends the interval if it is over.
func (l *blameLog) tick(elapsed time.Duration) error {
	if l == nil || l.every == 0 || elapsed-l.from < l.every {
		return nil
	}
	return l.end(elapsed)
}

func (l *blameLog) end(elapsed time.Duration) error {
	err := l.histograms.Interval(l.from, elapsed)
	if l.worst != "" {
		_, werr := fmt.Fprintln(l.lines, l.worst)
		err = errors.Join(err, werr)
	}
	l.from, l.worst, l.worstNS = elapsed, "", 0
	return err
}

// close ends the last interval and the files.
func (l *blameLog) close(elapsed time.Duration) error {
	if l == nil {
		return nil
	}
	return errors.Join(l.end(elapsed), l.histograms.Close(), l.lines.Close())
}
