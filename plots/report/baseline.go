// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
	"siglat/plots"
)

// baselineFacts are the medians of what a latency consists of, beside that of
// the run.
func baselineFacts(r *recording.Recording) []fact {
	b := r.Baseline
	if b == nil {
		return nil
	}
	var facts []fact
	if f, ok := hasSamples(r); ok {
		facts = append(facts, fact{"median latency of this run", ns(f.P50)})
	}
	for _, s := range []struct {
		name string
		baseline.Switch
	}{{"switch in a ping-pong, pipes", b.PingPong}, {"switch in a ping-pong, eventfds", b.Eventfd}} {
		facts = append(facts, fact{s.name, fmt.Sprintf("%s (%s with the calls, which take %s)", ns(s.SwitchNS), ns(s.PassNS), ns(s.OverheadNS))})
	}
	for _, c := range b.Calls {
		facts = append(facts, fact{c.Name, ns(c.NS)})
	}
	policy := "SCHED_OTHER"
	if b.Priority > 0 {
		policy = fmt.Sprintf("FIFO %d", b.Priority)
	}
	return append(facts, fact{"timer resolution", ns(b.TimerResolutionNS)}, fact{"measured on", fmt.Sprintf("CPU %d, %s", b.CPU, policy)})
}

// appendSwitches draws the matrix of switches where it was measured.
func appendSwitches(list []*figure, id string, r *recording.Recording) ([]*figure, error) {
	if r.Baseline == nil || len(r.Baseline.Matrix) == 0 {
		return list, nil
	}
	rows, cols, times := switches(r.Baseline.Matrix)
	p, err := plots.Matrix(rows, cols, times, plots.Options{RowText: "touched by each", ColumnText: "processes"})
	return appendFigure(list, p, err, 3*vg.Inch, id+"-switches", "Context switches on the machine of "+r.Name,
		fmt.Sprintf("median cost of a switch in %d rings of processes", len(r.Baseline.Matrix)),
		"Median cost of a switch between processes in a ring, by their number and by the memory that each touches; the calls and the touching are subtracted.", r)
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
