// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"html/template"
	"strings"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/plots"
)

// A document is what the template shows, ready to be printed.
type document struct {
	Title       string
	Subtitle    string
	Style       template.CSS
	Script      template.JS
	ScriptHash  string
	Answers     []answer
	Warnings    []warning
	Virtual     bool
	Asked       []askedPair
	Matrix      *matrix
	Rows        []row
	Dated       bool // a run has a day
	Floored     bool // a run has a floor
	Note        string
	Overlays    []*figure
	Comparisons []comparisonGroup
	Runs        []section
	Tool        string
}

// An answer is a question of the summary with its answer.
type answer struct {
	Question, Answer, Detail string
	Link                     string // id of the run, may be empty
	Bad                      bool
}

// A warning is a text with the runs it is about.
type warning struct {
	Text string
	Runs []link
	More int
}

type link struct{ ID, Name string }

type row struct {
	link
	RowID                                  string // empty where the run has a section
	PeriodNS                               int64
	Day, Start                             string // of real time
	Receiver, Placement, Policy, Period    string
	N, Lost                                string
	Min, Mean, Stddev, P50, P99, P999, Max string
	Floor                                  string // empty where none is known
	Bad                                    bool
}

type comparisonGroup struct {
	Title string
	List  []Comparison
}

// most is how many entries of a list are shown before "and N more".
const most = 6

func newDocument(runs []*recording.Recording, o Options) (*document, error) {
	d := &document{
		Title: o.Title, Subtitle: subtitle(runs), Style: template.CSS(styleText), Tool: o.Tool,
		Script: template.JS(scriptText), ScriptHash: scriptHash,
	}
	v := newView(runs)
	d.Note = v.note(len(runs))
	comparisons := Comparisons(runs)
	d.Warnings = allWarnings(runs, comparisons, v)
	d.Answers = append(answers(runs, v), lostAnswer(runs), warningAnswer(len(d.Warnings)))
	for i, r := range runs {
		d.Virtual = d.Virtual || r.Clock == "virtual"
		d.Rows = append(d.Rows, newRow(i, r, v))
		d.Dated = d.Dated || d.Rows[i].Day != ""
		d.Floored = d.Floored || d.Rows[i].Floor != ""
		if !v.shows(i) {
			continue
		}
		s, err := newSection(i, r, o)
		if err != nil {
			return nil, err
		}
		d.Runs = append(d.Runs, s)
	}
	for _, p := range o.Pairs {
		d.Asked = append(d.Asked, newAsked(p))
	}
	d.Matrix = newMatrix(runs, v)
	var err error
	if d.Overlays, err = overviews(runs, o); err != nil {
		return nil, err
	}
	for _, c := range comparisons {
		if n := len(d.Comparisons); n == 0 || d.Comparisons[n-1].Title != c.Dimension.Title() {
			d.Comparisons = append(d.Comparisons, comparisonGroup{Title: c.Dimension.Title()})
		}
		g := &d.Comparisons[len(d.Comparisons)-1]
		g.List = append(g.List, c)
	}
	return d, nil
}

func runID(i int) string { return fmt.Sprintf("run-%d", i+1) }

func newRow(i int, r *recording.Recording, v view) row {
	f := summaryOf(r)
	set := setupOf(r)
	w := row{
		link: link{v.id(i), r.Name}, Receiver: receiverText(set.receiver), Placement: placementText(set.placement),
		Policy: set.policy, Period: period(r), PeriodNS: r.Config.PeriodNS, N: plots.Count(f.Count), Lost: lostText(r),
		Bad: r.Counts.Lost+r.Counts.Refused > 0,
	}
	if !v.shows(i) {
		w.RowID = v.id(i)
	}
	if !r.Start.IsZero() && r.Clock != "virtual" {
		w.Day, w.Start = r.Start.UTC().Format("2006-01-02"), r.Start.UTC().Format("2006-01-02 15:04:05")
	}
	w.Min, w.Mean, w.Stddev, w.P50, w.P99, w.P999, w.Max = "–", "–", "–", "–", "–", "–", "–"
	if f.Count > 0 {
		w.Min, w.Mean, w.Stddev = micros(f.Min), plots.Micros(f.Mean), plots.Micros(f.Stddev)
		w.Max = micros(f.Max)
	}
	if f.Count > 0 && r.HasQuantiles() {
		w.P50, w.P99, w.P999 = micros(f.P50), micros(f.P99), micros(f.P999)
	}
	if e, ok := plots.ExplanationOf(r); ok && e.Floor.Name != "" {
		w.Floor = micros(e.Floor.NS)
	}
	return w
}

func micros(v int64) string { return plots.Micros(float64(v)) }

func lostText(r *recording.Recording) string {
	if !r.HasRun {
		return "unknown"
	}
	return plots.Count(r.Counts.Lost + r.Counts.Refused)
}

// subtitle says how many runs there are, of which machines and of which
// days; no time of its own, so that a report can be compared.
func subtitle(runs []*recording.Recording) string {
	var hosts, kernels, clocks, days []string
	for _, r := range runs {
		hosts = addNew(hosts, r.Host.Hostname)
		kernels = addNew(kernels, r.Host.Kernel)
		if r.Clock != "" {
			clocks = addNew(clocks, r.Clock+" time")
		}
		if !r.Start.IsZero() && r.Clock != "virtual" { // a virtual machine's calendar starts anew
			days = addNew(days, r.Start.UTC().Format("2006-01-02"))
		}
	}
	parts := []string{fmt.Sprintf("%d runs", len(runs))}
	if len(runs) == 1 {
		parts[0] = "1 run"
	}
	for _, p := range []struct {
		what string
		list []string
	}{{"host ", hosts}, {"Linux ", kernels}, {"", clocks}, {"", span(days)}} {
		if len(p.list) > 0 {
			parts = append(parts, p.what+some(p.list, ", "))
		}
	}
	return strings.Join(parts, " · ")
}

func addNew(list []string, s string) []string {
	for _, v := range list {
		if v == s {
			return list
		}
	}
	if s == "" {
		return list
	}
	return append(list, s)
}

// some joins the first entries of a list.
func some(list []string, sep string) string {
	if len(list) <= most {
		return strings.Join(list, sep)
	}
	return strings.Join(list[:most], sep) + fmt.Sprintf(" and %d more", len(list)-most)
}

// span reduces days to the first and the last.
func span(days []string) []string {
	if len(days) == 0 {
		return nil
	}
	first, last := days[0], days[0]
	for _, d := range days {
		first, last = min(first, d), max(last, d)
	}
	if first == last {
		return []string{first}
	}
	return []string{first + " to " + last}
}

func hasSamples(r *recording.Recording) (analysis.Summary, bool) {
	f := summaryOf(r)
	return f, f.Count > 0
}
