// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"siglat/analysis/atomicfile"
	"siglat/analysis/comparison"
	"siglat/cmd/internal/cli"
	"siglat/plots/report"
)

func compare(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport compare",
		Synopsis: "[flags] A B...",
		About: `Compares the first input with each other one: medians, 99th percentiles and
maxima with bootstrap intervals of their differences, the rank test of Mann and
Whitney, what was chosen differently, and what makes the comparison doubtful.
The interval of the maxima is too narrow: no resample exceeds what was seen.`,
		Examples: []string{"sigreport compare runs/blocked-same runs/blocked-cross -o compare.html"},
	}
	f := c.Group("Output")
	as := f.String("as", "text", "`FORM` to print: text, json, csv or markdown")
	out := f.StringP("out", "o", "", "`FILE` to write too, its form by its extension: .html with\npictures, .txt, .json, .csv or .md")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	form, file := formOf(*as, ""), formOf("", filepath.Ext(*out))
	html := slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(*out)))
	switch {
	case form == nil:
		return cli.Usagef("form %q is none of text, json, csv, markdown", *as)
	case *out != "" && file == nil && !html:
		return cli.Usagef("output %s: end the name with .html, .txt, .json, .csv or .md", *out)
	}
	if err := needInputs(&c, paths, 2); err != nil {
		return err
	}
	recs, err := openFor(in, *out, paths)
	if err != nil {
		return err
	}
	var pairs []*comparison.Pair
	for _, b := range recs[1:] {
		p, err := comparison.Compare(recs[0], b)
		if err != nil {
			return err
		}
		pairs = append(pairs, p)
	}
	if err := form.write(s.Out, pairs); err != nil {
		return err
	}
	switch {
	case html:
		return writeReport(*out, report.Options{Title: "Comparison", Pairs: pairs}, recs)
	case file != nil:
		return atomicfile.Write(*out, func(w io.Writer) error { return file.write(w, pairs) })
	}
	return nil
}

func printPairs(w io.Writer, pairs []*comparison.Pair) error {
	for i, p := range pairs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printPair(w, p); err != nil {
			return err
		}
	}
	return nil
}

func printPair(w io.Writer, p *comparison.Pair) error {
	var t table
	t.add("", p.A.Name, p.B.Name, "difference", "95 % interval")
	t.add("count", utoa(p.A.Latency.Count), utoa(p.B.Latency.Count))
	for _, f := range p.Figures() {
		a, b := sides(f.Difference, unknown)
		t.add(f.Name+" (ns)", a, b, change(f.Difference), within(f.Difference))
	}
	if err := t.print(w); err != nil {
		return err
	}
	if p.Rank != nil {
		fmt.Fprintln(w, rankText(p))
	}
	for _, f := range p.Setup {
		fmt.Fprintf(w, "differs: %s\n", f)
	}
	_, err := fmt.Fprintln(w, p.Sentence)
	for _, text := range p.Warnings {
		_, err = fmt.Fprintf(w, "warning: %s\n", text)
	}
	return err
}

// rankText tells of the rank test and its effect size.
func rankText(p *comparison.Pair) string {
	return fmt.Sprintf("Mann-Whitney: U = %.1f, %s; effect size: a value of %s is below one of %s with probability %.3f", p.Rank.U, p.Rank.PText(), p.A.Name, p.B.Name, p.Rank.Effect)
}

// sides formats A and B; open stands for what a side does not tell.
func sides(d comparison.Difference, open string) (a, b string) {
	a, b = itoa(d.A), itoa(d.B)
	if d.OpenA {
		a = open
	}
	if d.OpenB {
		b = open
	}
	return a, b
}

// change formats B against A.
func change(d comparison.Difference) string {
	if !d.Known() {
		return unknown
	}
	s := fmt.Sprintf("%+d", d.NS())
	if percent := d.Percent(); !math.IsNaN(percent) {
		s += fmt.Sprintf(" (%+.1f %%)", percent)
	}
	return s
}

// within formats the interval of the difference.
func within(d comparison.Difference) string {
	if d.Of == nil {
		return unknown
	}
	return fmt.Sprintf("%+d to %+d", d.Of.Low, d.Of.High)
}
