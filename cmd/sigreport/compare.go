// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"siglat/analysis/comparison"
	"siglat/cmd/internal/cli"
)

func compare(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport compare",
		Synopsis: "[flags] A B...",
		About: `Compares the first input with each other one: medians, 99th percentiles and
maxima, what was chosen differently, and what makes the comparison doubtful.`,
		Examples: []string{"sigreport compare runs/blocked-same runs/blocked-cross -o compare.html"},
	}
	out := c.Group("Output").StringP("out", "o", "", "HTML file to write too, with pictures")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needInputs(&c, paths, 2); err != nil {
		return err
	}
	recs, err := openFor(in, *out, paths)
	if err != nil {
		return err
	}
	for i, b := range recs[1:] {
		p, err := comparison.Compare(recs[0], b)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		if err := printPair(s.Out, p); err != nil {
			return err
		}
	}
	if *out == "" {
		return nil
	}
	return writeReport(*out, "Comparison", recs)
}

func printPair(w io.Writer, p *comparison.Pair) error {
	var t table
	t.add("", p.A.Name, p.B.Name, "difference", "95 % interval")
	t.add("count", utoa(p.A.Latency.Count), utoa(p.B.Latency.Count))
	for _, row := range []struct {
		name string
		d    comparison.Difference
	}{{"median (ns)", p.Median}, {"p99 (ns)", p.P99}, {"p99.9 (ns)", p.P999}, {"max (ns)", p.Max}} {
		t.add(row.name, itoa(row.d.A), itoa(row.d.B), change(row.d), within(row.d))
	}
	if err := t.print(w); err != nil {
		return err
	}
	if r := p.Rank; r != nil {
		fmt.Fprintf(w, "Mann-Whitney: U = %.1f, p = %.2g; a value of %s is below one of %s with probability %.3f\n", r.U, r.P, p.A.Name, p.B.Name, r.Effect)
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

// change formats B against A.
func change(d comparison.Difference) string {
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
