// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/plots"
)

// A kind of picture.
type kind struct {
	name, about string
	draw        func([]*recording.Recording, plots.Options) (*plot.Plot, error)
}

var kinds = []kind{
	{"histogram", "how often each latency was seen", ofSeries(plots.Histogram)},
	{"ccdf", "share of the samples above a latency", ofSeries(plots.CCDF)},
	{"timeline", "maximum and percentiles over time, of one run", ofCourse(plots.Timeline)},
	{"heatmap", "how often each latency was seen over time, of one run", ofCourse(plots.Heatmap)},
	{"segments", "where the time went: timer, module, latency; median and worst", ofParts},
	{"waterfall", "what the median consists of, by the baselines of the machine", ofExplained},
	{"switches", "context switches of the machine, as sigwait baseline measured them", ofSwitches},
	{"box", "runs under each other: percentiles and shapes", ofSeries(plots.Box)},
	{"ridge", "many runs behind each other, as a landscape over weeks", ofSeries(plots.Ridge)},
}

func kindList() string {
	var b strings.Builder
	b.WriteString("Kinds of pictures:")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n  %-10s %s", k.name, k.about)
	}
	return b.String()
}

// kindFlag is a flag for the name of a kind.
type kindFlag string

func (v *kindFlag) Type() string   { return "name" }
func (v *kindFlag) String() string { return string(*v) }

func (v *kindFlag) Set(s string) error {
	var names []string
	for _, k := range kinds {
		if k.name == s {
			*v = kindFlag(s)
			return nil
		}
		names = append(names, k.name)
	}
	return fmt.Errorf("%q is none of %s", s, strings.Join(names, ", "))
}

func (v kindFlag) draw(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
	for _, k := range kinds {
		if k.name == string(v) {
			return k.draw(recs, o)
		}
	}
	return nil, cli.Usagef("picture %q is not known", string(v))
}

func ofSeries(draw func([]plots.Series, plots.Options) (*plot.Plot, error)) func([]*recording.Recording, plots.Options) (*plot.Plot, error) {
	return func(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
		var series []plots.Series
		for _, r := range recs {
			if r.Latencies() == nil {
				return nil, fmt.Errorf("plot %s: it holds no distribution, only figures", r.Name)
			}
			series = append(series, plots.SeriesOf(r))
		}
		return draw(series, o)
	}
}

func ofCourse(draw func(plots.Course, plots.Options) (*plot.Plot, error)) func([]*recording.Recording, plots.Options) (*plot.Plot, error) {
	return func(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
		if len(recs) != 1 {
			return nil, cli.Usagef("this kind of picture shows one run, here are %d: give one", len(recs))
		}
		c, err := plots.CourseOf(recs[0])
		if err != nil {
			return nil, err
		}
		return draw(c, o)
	}
}

func ofParts(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
	var list []plots.Breakdown
	for _, r := range recs {
		b, ok := plots.BreakdownOf(r)
		if !ok {
			return nil, fmt.Errorf("plot %s: it was recorded without the parts of the way; sigwait --segments records them", r.Name)
		}
		list = append(list, b)
	}
	return plots.Segments(list, o)
}

func ofExplained(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
	var list []plots.Explained
	for _, r := range recs {
		e, ok := plots.ExplanationOf(r)
		if !ok {
			return nil, fmt.Errorf("plot %s: its parts are not known: it wants samples and, by the same clock, what sigwait baseline -o DIR writes beside it", r.Name)
		}
		list = append(list, e)
	}
	return plots.Waterfall(list, o)
}

func ofSwitches(recs []*recording.Recording, o plots.Options) (*plot.Plot, error) {
	if len(recs) != 1 {
		return nil, cli.Usagef("this kind of picture shows one machine, here are %d runs: give one", len(recs))
	}
	if b := recs[0].Baseline; b != nil && len(b.Matrix) > 0 {
		return plots.Switches(b.Matrix, o)
	}
	return nil, fmt.Errorf("plot %s: it has no switches: sigwait baseline -o DIR measures them", recs[0].Name)
}

// budgetFlag is a flag for the reference line.
type budgetFlag struct {
	ns   span
	none bool
}

func (v *budgetFlag) Type() string { return "ns" }

func (v *budgetFlag) String() string {
	switch {
	case v.none:
		return "none"
	case v.ns == 0:
		return ""
	}
	return v.ns.String()
}

func (v *budgetFlag) Set(s string) error {
	if v.none = s == "none"; v.none {
		v.ns = 0
		return nil
	}
	if err := v.ns.Set(s); err != nil {
		return err
	}
	if v.ns <= 0 {
		return fmt.Errorf("%q is not above 0", s)
	}
	return nil
}

// into fills the options: what the user asked for, else what suits the runs.
func (v *budgetFlag) into(o *plots.Options, recs []*recording.Recording) {
	switch {
	case v.ns > 0:
		o.BudgetNS = int64(v.ns)
	case !v.none:
		o.BudgetNS, o.BudgetText = plots.Reference(recs)
		o.BudgetIfNear = true
	}
}
