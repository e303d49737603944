// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"siglat/analysis"
)

// A Member is one of the recordings that a merged run was made of.
type Member struct {
	Name      string           `json:"name"`
	Path      string           `json:"path"` // as it was given
	Start     time.Time        `json:"start"`
	ElapsedNS int64            `json:"elapsed_ns"`
	Counts    Counts           `json:"counts"`
	Latency   analysis.Summary `json:"latency_ns"`
}

// A Merger adds up recordings. All figures of the result are exact, and it
// does not depend on the order of the recordings. It holds the histograms of
// each only as text. The zero value is ready. It is not safe for concurrent
// use.
type Merger struct {
	enc    analysis.HDREncoder
	totals map[string]*analysis.Distribution
	parts  []part
}

type part struct {
	run  Run
	path string
	lost bool // known
	logs []logged
}

// Add takes the recordings of an input, all or, with an error, none. It keeps
// nothing of their distributions. It fails when one holds no distribution, or
// not all of its values.
func (m *Merger) Add(recs ...*Recording) error {
	for _, r := range recs {
		switch {
		case r.Latencies() == nil && (r.Latency.Count > 0 || !r.HasRun):
			return fmt.Errorf("merge %s: it holds no distribution of latencies", r.Path)
		case r.Import != nil && (r.Import.CountOpen || r.Import.OverflowOpen):
			return fmt.Errorf("merge %s: it does not tell how many values lie beyond its classes", r.Path)
		}
	}
	for _, r := range recs {
		m.add(r)
	}
	return nil
}

func (m *Merger) add(r *Recording) {
	if m.totals == nil {
		m.totals = map[string]*analysis.Distribution{}
	}
	p := part{run: r.Run, path: r.Path, lost: r.HasRun}
	for _, name := range slices.Sorted(maps.Keys(r.Dist)) {
		d := r.Dist[name]
		if d.Count() == 0 {
			continue
		}
		if m.totals[name] == nil {
			m.totals[name] = analysis.NewDistribution()
		}
		m.totals[name].Merge(d)
		if s := r.sources[name]; s.is(d) {
			p.logs = append(p.logs, s.logged)
		} else {
			p.logs = append(p.logs, loggedOf(&m.enc, name, d))
		}
	}
	m.parts = append(m.parts, p)
}

// Write makes a run directory of what was added: an interval of latency.hlog
// for each member, at its time, and the members with their figures in
// run.json. It refuses a directory that already holds a run (fs.ErrExist).
// Run's Name, Tool and Warnings are those of the result. The same recordings
// always give the same files.
func (m *Merger) Write(dir string, run *Run) error {
	if len(m.parts) == 0 {
		return errors.New("merge: no recordings")
	}
	slices.SortFunc(m.parts, byStart)
	m.describe(run)
	if d := m.totals[SegmentLatency]; d != nil {
		run.Latency = d.Summary()
	}
	start := run.Start
	if start.IsZero() {
		start = time.Unix(0, 0)
	}
	w, err := Create(Options{Dir: dir, Start: start, about: "Latencies in ns, an interval for each member of a merged run"})
	if err != nil {
		return err
	}
	for _, p := range m.parts {
		at := p.offset(run.Start)
		for _, l := range p.logs {
			if err := w.log.write(l, at, at+time.Duration(p.run.ElapsedNS)); err != nil {
				return errors.Join(fmt.Errorf("write run: %w", err), w.Close())
			}
		}
	}
	for name, total := range m.totals {
		w.segment(name).total = total
	}
	slices.SortFunc(w.segments, func(a, b *segment) int { return cmp.Compare(a.name, b.name) })
	return w.Finish(run)
}

// offset returns when p began, 0 when that is not known.
func (p *part) offset(start time.Time) time.Duration {
	if p.run.Start.IsZero() {
		return 0
	}
	return p.run.Start.Sub(start)
}

// byStart orders members; those whose time is not known come first.
func byStart(a, b part) int {
	return cmp.Or(a.run.Start.Compare(b.run.Start), cmp.Compare(a.path, b.path), cmp.Compare(a.run.Name, b.run.Name))
}

// describe fills run with what the members, in order, have in common and add
// up to.
func (m *Merger) describe(run *Run) {
	first := m.parts[0].run
	run.Config, run.Effective, run.Host, run.Clock, run.Complete = first.Config, first.Effective, first.Host, first.Clock, true
	known, kept := 0, 0
	for _, p := range m.parts {
		if run.Start.IsZero() {
			run.Start = p.run.Start
		}
		run.ElapsedNS += p.run.ElapsedNS
		run.Complete = run.Complete && p.run.Complete
		run.Counts.add(p.run.Counts)
		run.shared(&p.run)
		kept = max(kept, len(p.run.Worst))
		if p.lost {
			known++
		}
		run.Members = append(run.Members, Member{p.run.Name, p.path, p.run.Start, p.run.ElapsedNS, p.run.Counts, p.run.Latency})
	}
	for _, p := range m.parts {
		for _, s := range p.run.Worst {
			s.ReceivedNS += int64(p.offset(run.Start))
			run.Worst = append(run.Worst, s)
		}
	}
	slices.SortStableFunc(run.Worst, func(a, b Sample) int { return cmp.Compare(b.LatencyNS, a.LatencyNS) })
	run.Worst = run.Worst[:kept]
	switch known {
	case len(m.parts):
	case 0:
		run.Import = &Import{Format: "merge"}
	default:
		run.Warnings = append(run.Warnings, fmt.Sprintf("lost signals are known of %d of the %d members only", known, len(m.parts)))
	}
	run.Warnings = append(run.Warnings, differences(m.parts)...)
	run.Warnings = append(run.Warnings, warnings(m.parts)...)
}
