// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"siglat/analysis/atomicfile"
	"siglat/cmd/internal/cli"
	"siglat/plots"
)

var pictureFormats = []string{"png", "svg", "pdf"}

func plotCmd(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport plot",
		Synopsis: "-o FILE.png|.svg|.pdf [flags] INPUT...",
		About: `Draws the latencies of all inputs: linear latency axis, logarithmic counts, so
that a single outlier shows. One input is filled, several are outlines.`,
		Examples: []string{"sigreport plot -o same-cpu.png --bin-width 1us runs/blocked-same"},
	}
	out := c.Group("Output").StringP("out", "o", "", "picture to write; its extension names the format")
	f := c.Group("Picture")
	title := f.String("title", "", "title (default: the name of a single input)")
	var width, low, high span
	f.Var(&width, "bin-width", "width of a bin, in ns or with a unit (default: chosen)")
	f.Var(&low, "min", "lower end of the latency axis")
	f.Var(&high, "max", "upper end of the latency axis (default: all values)")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needOutput(&c, *out, "FILE.png"); err != nil {
		return err
	}
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(*out), "."))
	if !slices.Contains(pictureFormats, format) {
		return cli.Usagef("output %s: end the name with .png, .svg or .pdf", *out)
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	if err := refuseInput(*out, paths); err != nil {
		return err
	}
	recs, err := in.Open(paths)
	if err != nil {
		return err
	}
	var series []plots.Series
	for _, r := range recs {
		if r.Latencies() == nil {
			return fmt.Errorf("plot %s: it holds no distribution, only figures", r.Name)
		}
		series = append(series, plots.SeriesOf(r))
	}
	if *title == "" && len(recs) == 1 {
		*title = recs[0].Name
	}
	p, err := plots.Histogram(series, plots.Options{Title: *title, BinWidthNS: int64(width), MinNS: int64(low), MaxNS: int64(high)})
	if err != nil {
		return err
	}
	return atomicfile.Write(*out, func(w io.Writer) error {
		return plots.Encode(w, p, plots.DefaultWidth, plots.DefaultHeight, format)
	})
}
