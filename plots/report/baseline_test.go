// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
)

func TestBaseline(t *testing.T) {
	cells := []baseline.Switch{{Procs: 8, Bytes: 16384, SwitchNS: 4}, {Procs: 2, SwitchNS: 1}, {Procs: 8, SwitchNS: 2}}
	rows, cols, times := switches(cells)
	if !slices.Equal(rows, []string{"0 KiB", "16 KiB"}) || !slices.Equal(cols, []string{"2", "8"}) || !slices.Equal(times[0], []float64{1, 2}) ||
		!math.IsNaN(times[1][0]) || times[1][1] != 4 {
		t.Errorf("%v %v %v", rows, cols, times)
	}
	r := mixture()[0]
	without := write(t, []*recording.Recording{r}, Options{})
	if strings.Contains(without, "Baselines of the machine") {
		t.Error("baselines of a machine that has none")
	}
	r.Baseline = &baseline.Baseline{Matrix: cells, PingPong: baseline.Switch{SwitchNS: 1500}, Calls: []baseline.Call{{Name: "clock read", NS: 31}}}
	text := write(t, []*recording.Recording{r}, Options{})
	for _, want := range []string{"Baselines of the machine", "clock read", "median latency of this run", "Context switches on the machine"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
