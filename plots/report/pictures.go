// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"siglat/analysis/recording"
	"siglat/plots"
)

// runFigures draws one run: its histogram, and where the input tells them its
// time line, its heat map and the parts of its signals' way.
func runFigures(id string, r *recording.Recording, o Options) ([]*figure, error) {
	h, err := histogram(id+"-figure", r, o)
	if err != nil {
		return nil, err
	}
	out := []*figure{h}
	if b, ok := plots.BreakdownOf(r); ok {
		p, err := plots.Segments([]plots.Breakdown{b}, plots.Options{})
		alt := fmt.Sprintf("medians: timer %s, module %s, latency %s", ns(b.Median.TimerNS), ns(b.Median.ModuleNS), ns(b.Median.LatencyNS))
		if b.HasWorst {
			alt += fmt.Sprintf("; worst sample: timer %s, module %s, latency %s", ns(b.Worst.TimerNS), ns(b.Worst.ModuleNS), ns(b.Worst.LatencyNS))
		}
		if out, err = appendFigure(out, p, err, 2*vg.Inch, id+"-segments", "Parts of the way in "+r.Name, alt,
			"Where the time goes, from the timer's expiry to the receiver: medians, and the sample with the highest latency.", r); err != nil {
			return nil, err
		}
	}
	if out, err = appendWaterfall(out, id, r); err != nil {
		return nil, err
	}
	if out, err = appendSwitches(out, id, r); err != nil {
		return nil, err
	}
	c, err := plots.CourseOf(r)
	switch {
	case errors.Is(err, recording.ErrNoTimeline):
		return out, nil
	case err != nil:
		return nil, err
	case len(c.Slices) < 2:
		return out, nil // a line of one point
	}
	f, _ := hasSamples(r)
	alt := fmt.Sprintf("%d intervals, highest latency %s", len(c.Slices), ns(f.Max))
	p, err := plots.Timeline(c, o.picture(r))
	if out, err = appendFigure(out, p, err, 4*vg.Inch, id+"-timeline", "Latency over time in "+r.Name, alt,
		"Maximum and percentiles over time; triangles mark the worst samples.", r); err != nil {
		return nil, err
	}
	p, err = plots.Heatmap(c, o.picture(r))
	return appendFigure(out, p, err, 4*vg.Inch, id+"-heatmap", "Latencies over time in "+r.Name, alt,
		"How often each latency was seen over time.", r)
}

// picture returns the options for pictures of the runs: the budget, or what
// their processors suggest.
func (o Options) picture(runs ...*recording.Recording) plots.Options {
	if o.BudgetNS > 0 {
		return plots.Options{BudgetNS: o.BudgetNS}
	}
	if o.NoReference {
		return plots.Options{}
	}
	ns, text := plots.Reference(runs)
	return plots.Options{BudgetNS: ns, BudgetText: text, BudgetIfNear: true}
}

// appendFigure adds a picture that was drawn without an error.
func appendFigure(list []*figure, p *plot.Plot, err error, height vg.Length, id, title, alt, caption string, runs ...*recording.Recording) ([]*figure, error) {
	if err != nil {
		return nil, err
	}
	f := &figure{Title: title, Caption: caption}
	for _, r := range runs {
		f.Virtual = f.Virtual || r.Clock == "virtual"
	}
	if f.SVG, err = inline(p, plots.DefaultWidth, height, id, title, alt); err != nil {
		return nil, err
	}
	return append(list, f), nil
}

// overviews draws all runs: few over each other, under each other and by the
// share of samples above a latency; many as a landscape.
func overviews(runs []*recording.Recording, o Options) (out []*figure, err error) {
	if len(runs) < 2 {
		return nil, nil
	}
	series, alt := describe(runs)
	if len(runs) > maxOverlay {
		p, err := plots.Ridge(series, o.picture(runs...))
		if out, err = appendFigure(out, p, err, 5.6*vg.Inch, "ridge", "Histograms of all runs behind each other", ridgeAlt(runs),
			fmt.Sprintf("All %d runs behind each other; the count axis is logarithmic. The run with the highest latency has a colour of its own.", len(runs)), runs...); err != nil {
			return nil, err
		}
	}
	shown, which := runs, "All runs"
	if len(runs) > maxOverlay {
		shown, which = runs[:maxOverlay], fmt.Sprintf("The first %d of %d runs", maxOverlay, len(runs))
	}
	series, alt = series[:len(shown)], alt[:len(shown)]
	text := strings.Join(alt, "; ")
	for _, k := range []struct {
		id, title, caption string
		height             vg.Length
		draw               func([]plots.Series, plots.Options) (*plot.Plot, error)
	}{
		{"overlay", "Histograms of the latencies over each other",
			" over each other; the count axis is logarithmic. A triangle marks the highest latency of a run.", 5.2 * vg.Inch, plots.Histogram},
		{"box", "Percentiles of the runs under each other",
			" under each other: where most samples lie, and how far the others reach.", vg.Length(1.5+0.42*float64(len(shown))) * vg.Inch, plots.Box},
		{"ccdf", "Share of the samples above a latency",
			": the share of samples above each latency, both axes logarithmic. A curve ends at the run's highest latency.", 5.2 * vg.Inch, plots.CCDF},
	} {
		p, err := k.draw(series, o.picture(shown...))
		if out, err = appendFigure(out, p, err, k.height, k.id, k.title, text, which+k.caption, shown...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describe returns the runs' series and a text for each.
func describe(runs []*recording.Recording) (series []plots.Series, alt []string) {
	for _, r := range runs {
		series = append(series, plots.SeriesOf(r))
		text := r.Name + ": no samples"
		if f, ok := hasSamples(r); ok {
			text = fmt.Sprintf("%s: maximum %s", r.Name, ns(f.Max))
			if r.HasQuantiles() {
				text = fmt.Sprintf("%s: median %s, p99.9 %s, maximum %s", r.Name, ns(f.P50), ns(f.P999), ns(f.Max))
			}
		}
		alt = append(alt, text)
	}
	return series, alt
}

func ridgeAlt(runs []*recording.Recording) string {
	worst := runs[0]
	for _, r := range runs {
		if summaryOf(r).Max > summaryOf(worst).Max {
			worst = r
		}
	}
	return fmt.Sprintf("%d runs, the highest latency is %s in %s", len(runs), ns(summaryOf(worst).Max), worst.Name)
}
