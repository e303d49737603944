// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"

	"siglat/analysis/atomicfile"
	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/plots/report"
)

func reportCmd(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport report",
		Synopsis: "-o FILE.html [flags] INPUT...",
		About: `Writes one HTML file, which needs no network and no other file: a picture and a
row of figures for each input, the comparisons that the runs allow, and the
facts of the machines. Prints the figures and the comparisons too.`,
		Examples: []string{"sigreport report -o report.html runs/*"},
	}
	f := c.Group("Output")
	out := f.StringP("out", "o", "", "HTML `FILE` to write")
	var o report.Options
	f.StringVar(&o.Title, "title", "", "`TEXT` of the title")
	var budget budgetFlag
	f.Var(&budget, "budget", "reference line of all pictures at this `LATENCY` (default: at\n100 000 cycles, where the frequency is known)")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needOutput(&c, *out, "report.html"); err != nil {
		return err
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	recs, err := openFor(in, *out, paths)
	if err != nil {
		return err
	}
	o.BudgetNS, o.NoReference = int64(budget.ns), budget.none
	if err := writeReport(*out, o, recs); err != nil {
		return err
	}
	if err := writeStats(s.Out, recs); err != nil {
		return err
	}
	if err := printComparisons(s.Out, report.Comparisons(recs)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "\n%s\n", *out)
	return err
}

// openFor opens the inputs of a command that writes out; an empty out is not
// written.
func openFor(in *input.Reader, out string, paths []string) ([]*recording.Recording, error) {
	if out != "" {
		if err := refuseInput(out, paths); err != nil {
			return nil, err
		}
	}
	return in.Open(paths)
}

func writeReport(path string, o report.Options, recs []*recording.Recording) error {
	o.Tool = cli.Version("sigreport")
	return atomicfile.Write(path, func(w io.Writer) error {
		return report.Write(w, recs, o)
	})
}

// printComparisons prints a block for each dimension.
func printComparisons(w io.Writer, all []report.Comparison) error {
	var last report.Dimension
	for _, c := range all {
		if c.Dimension != last {
			fmt.Fprintf(w, "\n%s\n", c.Dimension.Title())
			last = c.Dimension
		}
		if _, err := fmt.Fprintf(w, "  %s: %s\n", c.Fixed, c.Sentence); err != nil {
			return err
		}
		for _, text := range c.Notes {
			fmt.Fprintf(w, "    note: %s\n", text)
		}
		for _, text := range c.Warnings {
			fmt.Fprintf(w, "    warning: %s\n", text)
		}
	}
	return nil
}
