// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"strings"
	"testing"

	"siglat/analysis/baseline"
	"siglat/analysis/recording"
)

func TestBaseline(t *testing.T) {
	cells := []baseline.Switch{{Procs: 8, Bytes: 16384, SwitchNS: 4}, {Procs: 2, SwitchNS: 1}, {Procs: 8, SwitchNS: 2}}
	r := mixture()[0]
	without := write(t, []*recording.Recording{r}, Options{})
	if strings.Contains(without, "Baselines of the machine") {
		t.Error("baselines of a machine that has none")
	}
	r.Effective.Placement = "same"
	r.Baseline = &baseline.Baseline{Matrix: cells, PingPong: baseline.Switch{SwitchNS: 1500}, Calls: []baseline.Call{{Name: "clock read", NS: 31}}}
	text := write(t, []*recording.Recording{r}, Options{})
	for _, want := range []string{"Baselines of the machine", "clock read", "median latency of this run", "Context switches on the machine",
		"Where the latency of", "wake-up and context switch", "floor"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	const floor = `<th scope="col" class="n">floor</th>`
	if !strings.Contains(text, floor) || !strings.Contains(text, `<td class="n">1.500</td>`) || strings.Contains(without, floor) {
		t.Error("the floor is not beside the median, or where there is none")
	}
}
