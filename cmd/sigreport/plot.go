// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
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
		About: `Draws the latencies of all inputs. The usual picture is a histogram: linear
latency axis, logarithmic counts, so that a single outlier shows. One input is
filled, several are outlines.

` + kindList(),
		Examples: []string{
			"sigreport plot -o same-cpu.png --bin-width 1us runs/blocked-same",
			"sigreport plot -o tail.pdf --kind ccdf --budget 100us runs/*",
			"sigreport plot -o night.svg --kind timeline runs/night",
		},
	}
	out := c.Group("Output").StringP("out", "o", "", "`FILE` to write; its extension names the format")
	f := c.Group("Picture")
	kind := kindFlag("histogram")
	f.Var(&kind, "kind", "`KIND` of picture")
	var o plots.Options
	f.StringVar(&o.Title, "title", "", "`TEXT` of the title (default: the name of a single input)")
	f.Var((*span)(&o.BinWidthNS), "bin-width", "`WIDTH` of a bin, in ns or with a unit (default: chosen)")
	f.Var((*span)(&o.MinNS), "min", "lower end of the latency axis, a `TIME`")
	f.Var((*span)(&o.MaxNS), "max", "upper end of the latency axis, a `TIME` (default: all values)")
	f.BoolVar(&o.Plain, "plain", false, "one scale for the whole axis, even where outliers then squeeze\nthe rest")
	budget := budgetFlag{}
	f.Var(&budget, "budget", "reference line at this `LATENCY`, or none (default: at 100 000\ncycles, where the frequency is known and the axis reaches)")
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
	budget.into(&o, recs)
	if o.Title == "" && len(recs) == 1 {
		o.Title = recs[0].Name
	}
	p, err := kind.draw(recs, o)
	if err != nil {
		return err
	}
	return atomicfile.Write(*out, func(w io.Writer) error {
		return plots.Encode(w, p, plots.DefaultWidth, plots.DefaultHeight, format)
	})
}
