// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"siglat/analysis/baseline"
)

// Switches draws the costs of context switches in rings as a [Matrix], by the
// number of processes and the memory that each touches. It returns an error
// when there are none.
func Switches(cells []baseline.Switch, o Options) (*plot.Plot, error) {
	rows, cols, times := switches(cells)
	o.RowText, o.ColumnText = "touched by each", "processes"
	return Matrix(rows, cols, times, o)
}

// switches arranges the cells by memory and number of processes.
func switches(cells []baseline.Switch) (rows, cols []string, times [][]float64) {
	var sizes, procs []int
	for _, c := range cells {
		sizes, procs = append(sizes, c.Bytes), append(procs, c.Procs)
	}
	slices.Sort(sizes)
	slices.Sort(procs)
	sizes, procs = slices.Compact(sizes), slices.Compact(procs)
	for _, n := range procs {
		cols = append(cols, strconv.Itoa(n))
	}
	for _, size := range sizes {
		rows = append(rows, fmt.Sprintf("%d KiB", size>>10))
		row := slices.Repeat([]float64{math.NaN()}, len(procs))
		for _, c := range cells {
			if c.Bytes == size {
				row[slices.Index(procs, c.Procs)] = float64(c.SwitchNS)
			}
		}
		times = append(times, row)
	}
	return rows, cols, times
}
