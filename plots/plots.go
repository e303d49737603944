// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"errors"
	"fmt"
	"time"

	"siglat/analysis"
)

// A Series is one run in a picture.
type Series struct {
	Name  string
	Dist  *analysis.Distribution // latencies in ns; nil is the same as empty
	Lost  *uint64                // signals sent and never received, nil where nobody counted
	Start time.Time              // wall clock, zero where it is not known
}

// Options say what a picture shows. The zero value chooses everything from
// the data.
type Options struct {
	Title        string
	BinWidthNS   int64 // width of a bin, 0 to choose it
	MinNS        int64 // ends of the latency axis; both 0 to show all samples
	MaxNS        int64
	BudgetNS     int64  // reference line for a deadline, 0 for none
	BudgetText   string // what the line is; "budget" and its value when empty
	BudgetIfNear bool   // without the line where it lies far above all latencies
	RowText      string // what the rows of a matrix are
	ColumnText   string // what its columns are
	Plain        bool   // one scale for the whole axis, even where outliers then squeeze the rest
}

func (o Options) ranged() bool { return o.MinNS != 0 || o.MaxNS != 0 }

func (o Options) budgetText() string {
	if o.BudgetText != "" {
		return o.BudgetText
	}
	return "budget " + FormatNS(float64(o.BudgetNS))
}

func (o Options) check(series []Series) error {
	switch {
	case len(series) == 0:
		return errors.New("plot: no run to draw")
	case o.BinWidthNS < 0:
		return fmt.Errorf("plot: bin width %d ns is negative", o.BinWidthNS)
	case o.BudgetNS < 0:
		return fmt.Errorf("plot: budget %d ns is negative", o.BudgetNS)
	case o.ranged() && o.MinNS >= o.MaxNS:
		return fmt.Errorf("plot: axis from %d to %d ns is empty, its end must be above its start", o.MinNS, o.MaxNS)
	}
	return nil
}

// settle drops a line that the axis need not reach, and returns what to note
// instead.
func (o *Options) settle(hi float64) string {
	if o.BudgetNS == 0 {
		return ""
	}
	far := o.BudgetIfNear && float64(o.BudgetNS) > 2*hi
	if o.ranged() {
		far = o.BudgetNS < o.MinNS || o.BudgetNS > o.MaxNS
	}
	if !far {
		return ""
	}
	text := o.budgetText() + ", beyond the axis"
	o.BudgetNS = 0
	return text
}
