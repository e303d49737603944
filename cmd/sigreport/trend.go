// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"siglat/analysis/atomicfile"
	"siglat/analysis/input"
	"siglat/analysis/trend"
	"siglat/cmd/internal/cli"
	"siglat/plots"
)

// A trending is what the subcommand found.
type trending struct {
	Version int            `json:"version"`
	Cells   []trend.Cell   `json:"series"`
	Days    []trend.Point  `json:"worst_per_day"`
	Changes []trend.Change `json:"changes"`
	Left    []string       `json:"left_out"`

	points []trend.Point
	figure string
	least  float64
}

const regression = "regression"

func trendCmd(ctx context.Context, args []string, s cli.Streams) error {
	c := trendUsage()
	f := c.Group("Changes")
	figure := f.String("figure", "p99", "look for changes of this `FIGURE`:\np50, p99 or max")
	least := f.Float64("least", 10, "smallest change that counts, in `PERCENT`")
	level := f.Float64("level", 0.01, "largest `PROBABILITY` of a change by chance,\nover all series")
	failOn := f.String("fail-on", "", "exit status 3 on `WHAT`: regression, a rise that still stands")
	f = c.Group("Prometheus")
	since := f.Duration("since", 30*24*time.Hour, "how far back, a `TIME`")
	step := f.Duration("step", time.Hour, "`TIME` that makes one point")
	f = c.Group("Output")
	asJSON := f.Bool("json", false, "print JSON")
	picture := f.StringP("out", "o", "", "also draw the runs behind each other, into `FILE`.png, .svg or .pdf;\nof more than 730 the newest")
	paths, err := c.Parse(args, s.Out)
	if err != nil {
		return err
	}
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(*picture), "."))
	switch {
	case len(paths) != 1:
		return cli.Usagef("%d inputs: want one, the folder of the runs (try %s --help)", len(paths), c.Name)
	case !slices.Contains(trend.Figures, *figure):
		return cli.Usagef("--figure %.20q: want one of %s", *figure, strings.Join(trend.Figures, ", "))
	case !(*least > 0) || !(*level > 0 && *level < 1):
		return cli.Usagef("--least wants percents above 0, --level a probability between 0 and 1")
	case *failOn != "" && *failOn != regression:
		return cli.Usagef("--fail-on %.20q: want %s", *failOn, regression)
	case *picture != "" && !slices.Contains(pictureFormats, format):
		return cli.Usagef("output %s: end the name with .png, .svg or .pdf", *picture)
	case *since <= 0 || *step < time.Second:
		return cli.Usagef("--since and --step: want times above zero, a step of a second or more")
	}
	t := trending{figure: *figure, least: *least / 100}
	if server, ok := strings.CutPrefix(paths[0], "prometheus://"); ok {
		q := trend.Query{Server: server, End: time.Now(), Since: *since, Step: *step}
		t.points, err = q.Load(ctx)
	} else {
		t.points, t.Left, err = trend.Load(paths[0])
	}
	if err != nil {
		return err
	}
	if len(t.points) == 0 {
		return fmt.Errorf("trend %s: no runs with latencies%s", paths[0], leftNote(t.Left))
	}
	t.find(*level)
	if *picture != "" {
		if err := t.draw(*picture, format); err != nil {
			return err
		}
	}
	if err := t.print(s, *asJSON); err != nil {
		return err
	}
	if *failOn == regression {
		return t.regressions()
	}
	return nil
}

func trendUsage() *cli.Command {
	return &cli.Command{
		Name:     "sigreport trend",
		Synopsis: "DIR|prometheus://HOST[:PORT] [flags]",
		About: `Follows the latencies of many hosts over many days. All runs below DIR, or what
a Prometheus server has of them, are put together by host and configuration, and
places are looked for from which on a figure is another: with which kernel, on
which host, since when, and how sure that is. Points are taken for independent
but for such changes. Runs that cannot be read are named and left out.`,
		Exit:     "3 --fail-on, and there is such a thing",
		Examples: []string{"sigreport trend runs", "sigreport trend runs --fail-on regression --least 20", "sigreport trend prometheus://127.0.0.1:9090 --since 168h"},
	}
}

func leftNote(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d left out, the first: %s", len(left), left[0])
}

func (t *trending) find(level float64) {
	series := trend.Group(t.points)
	t.Cells = trend.Cells(series)
	t.Days = trend.Days(t.points)
	t.Changes = trend.Changes(series, t.figure, t.least, level)
}

// regressions is an error where one stands.
func (t *trending) regressions() error {
	n := 0
	for i := range t.Changes {
		if t.Changes[i].Regression() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return cli.Exceededf("%s is higher than before in %d series", t.figure, n)
}

// mostRidges is how many runs a picture shows.
const mostRidges = 730

// draw draws the newest runs.
func (t *trending) draw(path, format string) error {
	runs := slices.DeleteFunc(slices.Clone(t.points), func(p trend.Point) bool { return p.Path == "" })
	slices.SortStableFunc(runs, func(a, b trend.Point) int { return a.Start.Compare(b.Start) })
	runs = runs[max(0, len(runs)-mostRidges):]
	if len(runs) == 0 {
		return cli.Usagef("--out: only run directories have distributions to draw")
	}
	var series []plots.Series
	for _, r := range runs {
		recs, err := input.Open([]string{r.Path}, nil)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			one := plots.SeriesOf(rec)
			one.Name = r.Host + " " + r.Kernel
			series = append(series, one)
		}
	}
	p, err := plots.Ridge(series, plots.Options{Title: fmt.Sprintf("%d runs, %s to %s", len(runs), day(runs[0].Start), day(runs[len(runs)-1].Start))})
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return plots.Encode(w, p, plots.DefaultWidth, plots.DefaultHeight, format)
	})
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func (t *trending) print(s cli.Streams, asJSON bool) error {
	if !asJSON {
		for _, l := range t.Left {
			fmt.Fprintf(s.Err, "sigreport: left out: %s\n", l)
		}
		return t.text(s.Out)
	}
	t.Version = schemaVersion
	if t.Left == nil {
		t.Left = []string{}
	}
	if t.Changes == nil {
		t.Changes = []trend.Change{}
	}
	return writeJSON(s.Out, t)
}
