// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"strings"

	"siglat/analysis/recording"
	"siglat/plots"
)

// A section shows one run.
type section struct {
	link
	Setup    string
	Figures  []*figure
	Config   []fact
	Host     []fact
	Counts   []fact
	CPUs     []fact
	Baseline []fact
	Worst    []worstRow
	Parts    []string // segments that the worst samples tell
	Blamed   []blameRow
	Warnings []string
	Command  string
}

// A fact is a name with its value.
type fact struct{ Name, Value string }

type worstRow struct {
	Latency, At, CPU, Seq string
	Parts                 []string
}

// maxWorst is the most worst samples shown of a run.
const maxWorst = 10

func newSection(i int, r *recording.Recording, o Options) (section, error) {
	s := section{
		link: link{runID(i), r.Name}, Setup: setupOf(r).describe(""),
		Config: configFacts(r), Host: hostFacts(r), Counts: countFacts(r), CPUs: cpuFacts(r),
		Baseline: baselineFacts(r),
		Warnings: runWarnings(r), Command: command(r.Command),
	}
	s.Parts, s.Worst = worstRows(r)
	s.Blamed = blameRows(r)
	var err error
	s.Figures, err = runFigures(runID(i), r, o)
	return s, err
}

// told drops the facts that nobody could read.
func told(facts []fact) []fact {
	var out []fact
	for _, f := range facts {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

func configFacts(r *recording.Recording) []fact {
	if !r.HasRun {
		return nil
	}
	e, c := r.Effective, r.Config
	return told([]fact{
		{"receiver", asked(receiverText(receiverOf(r)), c.Receiver, receiverOf(r))},
		{"source", c.Source},
		{"policy", asked(policyOf(r), c.Policy, e.Policy)},
		{"receiver's CPUs", cpus(e.CPUs)},
		{"timer's CPU", cpu(e.TimerCPU)},
		{"placement", placementText(e.Placement)},
		{"period", period(r)},
		{"sent from", e.Context},
		{"stamps", strings.Join(nonEmpty(e.StampClock, e.Stamp), ", ")},
		{"memory locked", yesNo(e.MemLocked)},
		{"count", number(c.Count)},
		{"duration", duration(c.DurationNS)},
	})
}

// asked adds what was asked for where something else is in force.
func asked(text, want, got string) string {
	if want == "" || want == got {
		return text
	}
	return fmt.Sprintf("%s (asked for: %s)", text, want)
}

func hostFacts(r *recording.Recording) []fact {
	h := r.Host
	facts := []fact{
		{"host", h.Hostname}, {"kernel", h.Kernel}, {"build", h.KernelBuild},
		{"CPU", h.CPUModel}, {"CPUs online", h.CPUsOnline}, {"SMT", h.SMT},
		{"governor", h.Governor}, {"idle states", strings.Join(h.IdleStates, ", ")},
		{"clocksource", h.Clocksource}, {"isolcpus", h.Isolated}, {"nohz_full", h.NoHzFull},
		{"hypervisor", h.Hypervisor}, {"command line", h.Cmdline}, {"module", h.Module},
	}
	if h.Kernel != "" {
		rt := "no"
		if h.PreemptRT {
			rt = "yes"
		}
		facts = append(facts, fact{"PREEMPT_RT", rt}, fact{"RT throttling", throttling(h.RTRuntimeUS)})
	}
	if h.CPUKHz > 0 {
		facts = append(facts, fact{"highest frequency", fmt.Sprintf("%d MHz", h.CPUKHz/1000)})
	}
	if h.TimerSlackNS > 0 {
		facts = append(facts, fact{"timer slack", duration(h.TimerSlackNS)})
	}
	if r.Clock != "" {
		facts = append(facts, fact{"time", r.Clock})
	}
	facts = append(facts, fact{"QEMU", h.Lab["qemu"]}, fact{"virtual CPU", h.Lab["cpu"]}, fact{"kernel image (SHA-256)", h.Lab["image_sha256"]})
	return told(facts)
}

func throttling(us int64) string {
	switch {
	case us < 0:
		return "off"
	case us == 0:
		return ""
	}
	return fmt.Sprintf("after %s of real-time load per period", duration(us*1000))
}

func countFacts(r *recording.Recording) []fact {
	if !r.HasRun {
		return nil
	}
	c := r.Counts
	facts := []fact{
		{"sent", plots.Count(c.Sent)}, {"received", plots.Count(c.Received)},
		{"lost", plots.Count(c.Lost)}, {"refused", plots.Count(c.Refused)},
	}
	for _, f := range []struct {
		name string
		n    uint64
	}{
		{"overruns", c.Overruns}, {"duplicates", c.Duplicates}, {"reordered", c.Reordered},
		{"invalid", c.Invalid}, {"on the wrong CPU", c.WrongCPU}, {"not kept", c.RingDrops},
	} {
		if f.n > 0 {
			facts = append(facts, fact{f.name, plots.Count(f.n)})
		}
	}
	facts = append(facts, fact{"took", duration(r.ElapsedNS)}, fact{"recorded by", r.Tool})
	if !r.Start.IsZero() && r.Clock != "virtual" {
		facts = append(facts, fact{"started", r.Start.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	return told(facts)
}

// cpuFacts are the figures of each CPU, of runs that measure several.
func cpuFacts(r *recording.Recording) []fact {
	var facts []fact
	for _, c := range r.CPUs {
		f := c.Latency
		text := "no samples"
		if f.Count > 0 {
			text = fmt.Sprintf("%s to %s, mean %s, %s samples", ns(f.Min), ns(f.Max), plots.FormatNS(f.Mean), plots.Count(f.Count))
		}
		facts = append(facts, fact{fmt.Sprintf("CPU %d", c.CPU), text})
	}
	return facts
}

// worstRows shows the parts of the worst samples where they are known.
func worstRows(r *recording.Recording) (parts []string, rows []worstRow) {
	list := r.Worst[:min(len(r.Worst), maxWorst)]
	for _, p := range []string{recording.SegmentTimer, recording.SegmentModule, recording.SegmentTotal} {
		for _, s := range list {
			if _, ok := s.Parts[p]; ok {
				parts = append(parts, p)
				break
			}
		}
	}
	for _, s := range list {
		w := worstRow{
			Latency: micros(s.LatencyNS), At: fmt.Sprintf("%.6f", float64(s.ReceivedNS)/1e9),
			CPU: first(cpu(s.CPU), "?"), Seq: plots.Count(s.Seq),
		}
		for _, p := range parts {
			v, ok := s.Parts[p]
			if ok {
				w.Parts = append(w.Parts, micros(v))
			} else {
				w.Parts = append(w.Parts, "?")
			}
		}
		rows = append(rows, w)
	}
	return parts, rows
}
