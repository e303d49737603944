// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"
	"strings"

	"siglat/analysis/comparison"
	"siglat/analysis/recording"
	"siglat/plots"
)

// fewSamples is the number of samples below which a comparison carries a
// note.
const fewSamples = 100

// sentence says which side is faster by its median, how sure that is, and
// whether mean and maximum agree.
func sentence(c Comparison, p *comparison.Pair) string {
	fast, slow := c.A, c.B
	if c.MedianDiffNS < 0 {
		fast, slow = c.B, c.A
	}
	medians := fmt.Sprintf("median %s against %s", ns(fast.MedianNS), ns(slow.MedianNS))
	if c.MedianDiffNS == 0 {
		return upper(fmt.Sprintf("%s and %s have the same median, %s; %s.",
			c.A.Label, c.B.Label, ns(c.A.MedianNS), means(fast, slow, "with")))
	}
	sure := ""
	switch {
	case p == nil || p.Rank == nil: // the medians alone decide
	case p.Verdict == comparison.None && p.Median.Of == nil:
		return upper(fmt.Sprintf("no difference shown between %s and %s: median %s against %s, of %d and %d samples, too few for an interval.",
			c.A.Label, c.B.Label, ns(c.A.MedianNS), ns(c.B.MedianNS), c.A.Count, c.B.Count))
	case p.Verdict == comparison.None:
		return upper(fmt.Sprintf("no difference shown between %s and %s: median %s against %s, with 95\u00a0%% confidence a difference from %s to %s; %s.",
			c.A.Label, c.B.Label, ns(c.A.MedianNS), ns(c.B.MedianNS), ns(p.Median.Of.Low), ns(p.Median.Of.High), p.Rank.PText()))
	default:
		i := p.Median.Of
		low, high := math.Abs(float64(i.Low)), math.Abs(float64(i.High))
		sure = fmt.Sprintf(", 95\u00a0%% sure of %s to %s", plots.FormatNS(min(low, high)), plots.FormatNS(max(low, high)))
	}
	return upper(fmt.Sprintf("%s is faster than %s: %s, %s%s%s; %s%s.",
		fast.Label, slow.Label, medians, plots.FormatNS(math.Abs(float64(c.MedianDiffNS))),
		percentLess(float64(fast.MedianNS), float64(slow.MedianNS)), sure,
		means(fast, slow, "its"), worst(fast, slow)))
}

func ns(v int64) string { return plots.FormatNS(float64(v)) }

func percentLess(fast, slow float64) string {
	if slow <= 0 || fast < 0 {
		return " less"
	}
	return fmt.Sprintf(" (%.3g\u00a0%%) less", 100*(slow-fast)/slow)
}

func means(fast, slow Side, its string) string {
	f, s := plots.FormatNS(fast.MeanNS), plots.FormatNS(slow.MeanNS)
	if its == "with" {
		return fmt.Sprintf("their means are %s and %s", f, s)
	}
	switch {
	case fast.MeanNS < slow.MeanNS:
		return fmt.Sprintf("the mean agrees, %s against %s", f, s)
	case fast.MeanNS > slow.MeanNS:
		return fmt.Sprintf("but its mean is higher, %s against %s", f, s)
	}
	return "the means are equal, " + f
}

func worst(fast, slow Side) string {
	switch {
	case fast.MaxNS <= slow.MaxNS:
		return ""
	case fast.MeanNS > slow.MeanNS:
		return fmt.Sprintf(", and so is its maximum, %s against %s", ns(fast.MaxNS), ns(slow.MaxNS))
	}
	return fmt.Sprintf("; but its maximum is higher, %s against %s", ns(fast.MaxNS), ns(slow.MaxNS))
}

// upper begins a sentence. "busy" and "same CPU" get a capital letter.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func notes(c Comparison) []string {
	var out []string
	if a, b := c.A.Runs[0].Config.PeriodNS, c.B.Runs[0].Config.PeriodNS; a != b {
		out = append(out, fmt.Sprintf("the periods differ: %s for %s, %s for %s",
			first(duration(a), "unknown"), c.A.Label, first(duration(b), "unknown"), c.B.Label))
	}
	if a, b := c.A.Runs[0].Effective.Context, c.B.Runs[0].Effective.Context; a != b {
		out = append(out, fmt.Sprintf("signals are sent from %s for %s, from %s for %s", a, c.A.Label, b, c.B.Label))
	}
	for _, s := range []Side{c.A, c.B} {
		if len(s.Runs) > 1 {
			out = append(out, fmt.Sprintf("%s: %d runs pooled", s.Label, len(s.Runs)))
		}
		if s.Count < fewSamples {
			out = append(out, fmt.Sprintf("%s: only %d samples", s.Label, s.Count))
		}
	}
	return out
}

func warnings(c Comparison) []string {
	out := c.differences()
	for _, s := range []Side{c.A, c.B} {
		if lost, sent := losses(s.Runs); lost > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d signals lost or refused, their latency is in no figure", s.Label, lost, sent))
		}
	}
	return out
}

// differences names what else differs between the sides' environments.
func (c Comparison) differences() []string {
	return environmentOf(c.A.Runs[0], c.Dimension).differences(environmentOf(c.B.Runs[0], c.Dimension))
}

// losses returns the signals that no receiver got and all that were due.
func losses(runs []*recording.Recording) (lost, due uint64) {
	for _, r := range runs {
		lost += r.Counts.Lost + r.Counts.Refused
		due += r.Counts.Sent + r.Counts.Refused
	}
	return lost, due
}
