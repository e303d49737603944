// SPDX-License-Identifier: GPL-2.0-only

// Package export writes histograms of latencies for other programs: as CSV,
// JSON, in the form of cyclictest and for gnuplot. Package input reads all of
// them.
package export

import (
	"fmt"
	"io"
	"math"

	"siglat/analysis"
	"siglat/analysis/recording"
)

// A Histogram is one recording in rows. The histograms of one file have the
// same rows.
type Histogram struct {
	Name     string
	Latency  analysis.Summary // Mean and Stddev NaN where not known
	Rows     *analysis.Linear
	OverOpen bool // how many values lie beyond the rows, and the maximum, is not known
}

// Of returns the histogram of r with the counts of rows.
func Of(r *recording.Recording, rows *analysis.Linear) Histogram {
	return Histogram{r.Name, r.Latency, rows, r.Import != nil && r.Import.OverflowOpen}
}

// A Format is a form of file.
type Format struct {
	Name      string
	About     string
	Extension string // of file names; empty where it is not told by one
	Write     func(io.Writer, []Histogram) error
}

// Formats are those that take histograms.
var Formats = []Format{
	{"csv", "rows name,row,low_ns,high_ns,value", ".csv", CSV},
	{"json", "a versioned object", ".json", JSON},
	{"cyclictest", "as cyclictest -h prints it; of ns with --bin-width 1", "", Cyclictest},
	{"gnuplot", "columns: lower end, count of each input", ".dat", Gnuplot},
}

// figure formats one that holds for all values, those beyond the rows too; open
// stands for unknown.
func (h *Histogram) figure(v, open string) string {
	if h.OverOpen {
		return open
	}
	return v
}

// over formats how many values lie above the rows; open stands for unknown.
func (h *Histogram) over(open string) string {
	return h.figure(fmt.Sprint(h.Rows.Over()), open)
}

// decimal formats a figure, empty or as open where it is not known.
func decimal(f float64, open string) string {
	if math.IsNaN(f) {
		return open
	}
	return fmt.Sprint(f)
}
