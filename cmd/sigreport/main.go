// SPDX-License-Identifier: GPL-2.0-only

// Command sigreport reads recorded latencies and shows them: as figures,
// histograms, pictures, comparisons and reports.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"siglat/cmd/internal/cli"
)

const about = `Reads latencies, from run directories and from files of this and other tools,
and shows them.`

var subcommands = []cli.Subcommand{
	{Name: "stats", About: "figures of each input: count, mean, quantiles, maximum, lost", Run: stats},
	{Name: "hist", About: "a linear histogram of each input", Run: hist},
	{Name: "plot", About: "a picture of all inputs: PNG, SVG or PDF", Run: plotCmd},
	{Name: "compare", About: "what differs between the first input and each other", Run: compare},
	{Name: "import", About: "run directories of other tools' files", Run: importCmd},
	{Name: "export", About: "histograms as CSV, JSON, cyclictest's text, gnuplot data, HdrHistogram log", Run: exportCmd},
	{Name: "merge", About: "one run directory of many: all values together", Run: mergeCmd},
	{Name: "trend", About: "many hosts over many days: what changed, where and when", Run: trendCmd},
	{Name: "report", About: "one HTML file with pictures, figures and comparisons", Run: reportCmd},
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	err := cli.Dispatch(ctx, "sigreport", about, subcommands, args, cli.Streams{In: stdin, Out: out, Err: stderr})
	// A full disk may have stopped the subcommand already: say it once.
	if full := out.Flush(); full != nil && (err == nil || errors.Is(err, pflag.ErrHelp) || errors.Is(err, full)) {
		err = fmt.Errorf("write output: %w", reason(full))
	}
	return cli.Report("sigreport", err, stderr)
}

// reason strips operation and path from an error of the operating system.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
