// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"siglat/analysis/comparison"
)

// A pairForm writes comparisons; extension is that of file names.
type pairForm struct {
	name, extension string
	write           func(io.Writer, []*comparison.Pair) error
}

var pairForms = []pairForm{
	{"text", ".txt", printPairs},
	{"json", ".json", pairsJSON},
	{"csv", ".csv", pairsCSV},
	{"markdown", ".md", pairsMarkdown},
}

// formOf returns the form of a name, or of a file name's extension.
func formOf(name, ext string) *pairForm {
	for i := range pairForms {
		if f := &pairForms[i]; f.name == name || ext != "" && f.extension == strings.ToLower(ext) {
			return f
		}
	}
	return nil
}

// A pairJSON is one element of the array of compare --as json.
type pairJSON struct {
	Version    int          `json:"version"`
	A          string       `json:"a"`
	B          string       `json:"b"`
	CountA     uint64       `json:"count_a"`
	CountB     uint64       `json:"count_b"`
	Confidence float64      `json:"confidence"`
	Figures    []figureJSON `json:"figures"`
	Rank       *rankJSON    `json:"mann_whitney"`
	Verdict    string       `json:"verdict"`
	Sentence   string       `json:"sentence"`
	Setup      []string     `json:"differs"`
	Warnings   []string     `json:"warnings"`
}

// A figureJSON is one figure of both, its difference B - A and the interval of
// that; null where it is not known.
type figureJSON struct {
	Figure     string   `json:"figure"`
	A          *int64   `json:"a_ns"`
	B          *int64   `json:"b_ns"`
	Difference *int64   `json:"difference_ns"`
	Percent    *float64 `json:"percent"`
	Low        *int64   `json:"low_ns"`
	High       *int64   `json:"high_ns"`
}

// A rankJSON has either P or, where that is too small a number, PBelow.
type rankJSON struct {
	U      float64  `json:"u"`
	Z      float64  `json:"z"`
	P      *float64 `json:"p"`
	PBelow *float64 `json:"p_below,omitempty"`
	Effect float64  `json:"effect"` // probability that a value of A is below one of B, ties half
}

func pairsJSON(w io.Writer, pairs []*comparison.Pair) error {
	out := []pairJSON{}
	for _, p := range pairs {
		j := pairJSON{
			Version: schemaVersion, A: p.A.Name, B: p.B.Name, CountA: p.A.Latency.Count, CountB: p.B.Latency.Count, Confidence: confidence,
			Verdict: string(p.Verdict), Sentence: p.Sentence, Setup: append([]string{}, p.Setup...), Warnings: append([]string{}, p.Warnings...),
		}
		for _, f := range p.Figures() {
			g := figureJSON{Figure: f.Name, Percent: finite(f.Percent())}
			if !f.OpenA {
				g.A = &f.A
			}
			if !f.OpenB {
				g.B = &f.B
			}
			if ns := f.NS(); f.Known() {
				g.Difference = &ns
			}
			if f.Of != nil {
				g.Low, g.High = &f.Of.Low, &f.Of.High
			}
			j.Figures = append(j.Figures, g)
		}
		if r := p.Rank; r != nil {
			j.Rank = &rankJSON{U: r.U, Z: r.Z, Effect: r.Effect}
			if least := comparison.LeastP; r.P < least {
				j.Rank.PBelow = &least
			} else {
				j.Rank.P = &r.P
			}
		}
		out = append(out, j)
	}
	return writeJSON(w, out)
}

// pairsCSV writes a row for each figure; what holds for the pair stands in
// each of its rows.
func pairsCSV(w io.Writer, pairs []*comparison.Pair) error {
	c := csv.NewWriter(w)
	// A failure to write stays until Flush.
	_ = c.Write([]string{"a", "b", "figure", "a_ns", "b_ns", "difference_ns", "percent", "low_ns", "high_ns", "u", "p", "effect", "verdict"})
	for _, p := range pairs {
		var rank [3]string
		if r := p.Rank; r != nil {
			rank = [3]string{fmt.Sprint(r.U), strings.TrimPrefix(strings.TrimPrefix(r.PText(), "p "), "= "), fmt.Sprint(r.Effect)}
		}
		for _, f := range p.Figures() {
			a, b := sides(f.Difference, "")
			ns, percent, low, high := "", "", "", ""
			if f.Known() {
				ns = itoa(f.NS())
			}
			if v := f.Percent(); !math.IsNaN(v) {
				percent = strconv.FormatFloat(v, 'g', 6, 64)
			}
			if f.Of != nil {
				low, high = itoa(f.Of.Low), itoa(f.Of.High)
			}
			_ = c.Write([]string{p.A.Name, p.B.Name, f.Name, a, b, ns, percent, low, high, rank[0], rank[1], rank[2], string(p.Verdict)})
		}
	}
	c.Flush()
	return c.Error()
}

func pairsMarkdown(w io.Writer, pairs []*comparison.Pair) error {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for i, p := range pairs {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n\n", p.Sentence)
		fmt.Fprintf(&b, "| ns | %s | %s | difference | 95 %% interval |\n|---|--:|--:|--:|--:|\n", cell.Replace(p.A.Name), cell.Replace(p.B.Name))
		fmt.Fprintf(&b, "| count | %d | %d | | |\n", p.A.Latency.Count, p.B.Latency.Count)
		for _, f := range p.Figures() {
			first, second := sides(f.Difference, unknown)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Name, first, second, change(f.Difference), within(f.Difference))
		}
		var notes []string
		if p.Rank != nil {
			notes = append(notes, rankText(p))
		}
		for _, text := range p.Setup {
			notes = append(notes, "differs: "+text)
		}
		for _, text := range p.Warnings {
			notes = append(notes, "warning: "+text)
		}
		for k, note := range notes {
			if k == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "- %s\n", note)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
