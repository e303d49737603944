// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"cmp"
	"io"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
	"siglat/cmd/internal/host"
	"siglat/sigwait"
	"siglat/sigwait/blame"
)

// A tracer is what the command needs of a [blame.Tracer].
type tracer interface {
	Fill() error
	Explain(blame.Sample) blame.Verdict
	WriteText(w io.Writer, from int64, s blame.Sample) error
	Ran(s blame.Sample, from int64, most int) []blame.Turn
	Lost() uint64
	Costly() bool
	Close() error
}

// openTracer is [blame.Open] as an engine has it.
func openTracer(device string, cpus []int) (tracer, error) {
	t, err := blame.Open(device, cpus)
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return t, nil
}

// A blamer finds out who is to blame for samples. A nil one finds nobody.
type blamer struct {
	tracer   tracer
	source   sigwait.Source
	start    time.Time // wall clock when the stamps' clock showed base
	base     int64
	sinceUp  int64 // CLOCK_BOOTTIME - CLOCK_MONOTONIC at the start
	culprits map[culprit]*recording.Culprit
	log      *blameLog // nil without a run directory
	failed   error
}

// A culprit is told from others by what it is, not by its number: a load may
// start thousands.
type culprit struct {
	name, policy   string
	priority, nice int
}

// What run.json keeps of who ran before and during a sample's way.
const (
	ranBefore = 20_000 // ns, at least
	ranTurns  = 100    // at most
	ranBroken = 1000   // at most, in the whole time of the trace
)

// maxCulprits bounds the memory of a run whose culprits change their names.
const maxCulprits = 1000

func newBlamer(o *options, e *sigwait.Effective, open func(string, []int) (tracer, error)) (*blamer, error) {
	t, err := open(o.config.Device, traced(o, e))
	if err != nil {
		return nil, err
	}
	b := &blamer{tracer: t, source: o.config.Source, culprits: map[culprit]*recording.Culprit{}}
	var now, boot unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // these two cannot fail
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot)
	b.sinceUp = boot.Nano() - now.Nano()
	return b, nil
}

// traced returns the CPUs in play.
func traced(o *options, e *sigwait.Effective) []int {
	cpus := slices.Clone(e.CPUs)
	switch {
	case e.TimerCPU >= 0:
		cpus = append(cpus, e.TimerCPU)
	case o.config.Source == sigwait.SourceUser: // the sender runs anywhere
		all, _ := sigwait.ParseCPUs(host.Online()) // where it is not known, only the receiver's
		cpus = append(cpus, all...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

// fill prepares for the samples received until now.
func (b *blamer) fill() {
	if b != nil && b.failed == nil {
		b.failed = b.tracer.Fill()
	}
}

// judge explains a sample and charges its culprit.
func (b *blamer) judge(s *sigwait.Sample) blame.Verdict {
	v := b.tracer.Explain(blame.Of(s, b.source))
	b.log.add(s, &v)
	if v.Culprit == nil {
		return v
	}
	key := culprit{v.Culprit.Name, v.Culprit.Policy, v.Culprit.Priority, v.Culprit.Nice}
	c := b.culprits[key]
	if c == nil {
		if len(b.culprits) >= maxCulprits {
			key = culprit{name: "others"}
		}
		if c = b.culprits[key]; c == nil {
			c = &recording.Culprit{Task: recording.Task{Comm: key.name}}
			b.culprits[key] = c
		}
	}
	c.Count++
	c.TotalNS += v.CulpritNS
	if c.WorstNS < s.LatencyNS {
		c.WorstNS = s.LatencyNS
		if key.name == v.Culprit.Name {
			c.Task = task(*v.Culprit)
		}
	}
	return v
}

// ranking returns the culprits: most samples first, then longest.
func (b *blamer) ranking() []recording.Culprit {
	if b == nil {
		return nil
	}
	list := make([]recording.Culprit, 0, len(b.culprits))
	for _, c := range b.culprits {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(x, y recording.Culprit) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(y.TotalNS, x.TotalNS), cmp.Compare(x.Task.Comm, y.Task.Comm), cmp.Compare(x.Task.PID, y.Task.PID))
	})
	return list
}

// end stops tracing and returns warnings.
func (b *blamer) end() (w warnings) {
	if b == nil {
		return nil
	}
	lost, err := b.tracer.Lost(), b.tracer.Close()
	for _, err := range []error{b.failed, err} {
		w.add(err != nil, "blame is not complete: %v", err)
	}
	w.add(b.tracer.Costly(), "blame came from tracefs, as the module is not loaded: that makes the median latency half as long again (in the lab, kernel 6.12, 5139 to 7627 ns; 5659 with the module)")
	w.add(lost > 0, "%d marks of the kernel were overwritten before they were read: some samples have unknown parts", lost)
	return w
}

// record returns what run.json keeps of a verdict; of a sample that breaks the
// run with all that is in the trace.
func (b *blamer) record(s *sigwait.Sample, v *blame.Verdict, breaks bool) *recording.Blame {
	r := &recording.Blame{
		Wall: b.start.Add(time.Duration(s.ReceivedNS - b.base)), BootNS: s.ReceivedNS + b.sinceUp,
		PartsNS: map[string]int64{}, Unseen: append([]string{}, v.Unseen...), Victim: task(v.Victim),
		CulpritNS: v.CulpritNS, Interrupts: []recording.Interrupt{},
	}
	for _, p := range v.Parts {
		r.PartsNS[p.Name] = p.NS
	}
	for _, i := range v.Interrupts {
		r.Interrupts = append(r.Interrupts, recording.Interrupt(i))
	}
	w := blame.Of(s, b.source)
	begin := s.ReceivedNS - way(s)
	from, turns := begin-max(way(s)/4, ranBefore), ranTurns
	if breaks {
		from, turns = begin-int64(traceBefore), ranBroken
	}
	for _, n := range b.tracer.Ran(w, from, turns) {
		r.Ran = append(r.Ran, recording.Turn{Task: task(n.Task), FromNS: s.ReceivedNS - n.FromNS, ToNS: s.ReceivedNS - n.ToNS})
	}
	for _, t := range []struct {
		from *blame.Task
		to   **recording.Task
	}{{v.Culprit, &r.Culprit}, {v.Before, &r.Before}, {v.Interrupted, &r.Interrupted}} {
		if t.from != nil {
			known := task(*t.from)
			*t.to = &known
		}
	}
	return r
}

func task(t blame.Task) recording.Task {
	return recording.Task{Comm: t.Name, PID: t.PID, Policy: t.Policy, Priority: t.Priority, Nice: t.Nice}
}
