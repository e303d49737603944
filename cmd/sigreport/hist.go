// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"siglat/cmd/internal/cli"
)

func hist(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport hist",
		Synopsis: "[flags] INPUT...",
		About: `Prints rows of equal width, with a column of counts for each input: lower end,
upper end (not included), counts. The first row counts what lies below the
minimum and the last what lies at or above the maximum; both are always
printed, and the sum of a column is the number of values. Counts are exact for
files of single values and runs with samples.txt, and for all inputs below
32768 ns. Values above the classes of an imported file count in the last row
by default, and at its maximum where --max is given.`,
		Examples: []string{
			"sigreport hist --bins 100 --min 0 --max 3000000 latencies.txt",
			"sigreport hist --bin-width 1us runs/a",
		},
	}
	rows := rowFlags(&c, "")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	h, err := rows.histograms(&c)
	if err != nil {
		return err
	}
	if _, err := h.read(in, paths); err != nil {
		return err
	}
	return h.print(s.Out)
}

func (h *histograms) print(w io.Writer) error {
	heads := []string{"# low_ns", "high_ns"}
	under, over := []string{"-inf", itoa(h.min)}, []string{itoa(h.max), "inf"}
	var t table
	for i, l := range h.lines {
		heads = append(heads, strings.ReplaceAll(h.names[i], " ", "_"))
		under = append(under, utoa(l.Under()))
		over = append(over, utoa(l.Over()))
	}
	t.add(heads...)
	t.add(under...)
	rows := make([][]string, 0, h.bins)
	for i, l := range h.lines {
		k := 0
		for r := range l.Rows() {
			if i == 0 {
				rows = append(rows, []string{itoa(r.Low), itoa(r.High)})
			}
			rows[k] = append(rows[k], utoa(r.Count))
			k++
		}
	}
	t.rows = append(append(t.rows, rows...), over)
	if err := t.print(w); err != nil {
		return err
	}
	for _, note := range h.notes() {
		if _, err := fmt.Fprintf(w, "# %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }
