// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
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

// print writes the rows as they come: there may be millions.
func (h *histograms) print(w io.Writer) error {
	out := bufio.NewWriter(w)
	last := h.lines[0].Bins()
	cells := make([]string, 2+len(h.lines))
	// row puts row i into cells; -1 and last are under- and overflow.
	row := func(i int) {
		for k, l := range h.lines {
			switch {
			case i < 0:
				cells[0], cells[1], cells[2+k] = "-inf", itoa(h.min), utoa(l.Under())
			case i == last:
				cells[0], cells[1], cells[2+k] = itoa(h.max), "inf", utoa(l.Over())
			default:
				r := l.Row(i)
				cells[0], cells[1], cells[2+k] = itoa(r.Low), itoa(r.High), utoa(r.Count)
			}
		}
	}
	heads := []string{"# low_ns", "high_ns"}
	for _, name := range h.names {
		heads = append(heads, strings.ReplaceAll(name, " ", "_"))
	}
	var widths widths
	widths.fit(heads)
	for i := -1; i <= last; i++ {
		row(i)
		widths.fit(cells)
	}
	out.WriteString(widths.line(heads)) // an error stays until Flush
	for i := -1; i <= last; i++ {
		row(i)
		out.WriteString(widths.line(cells))
	}
	for _, note := range h.notes() {
		fmt.Fprintf(out, "# %s\n", note)
	}
	return out.Flush()
}

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }
