// SPDX-License-Identifier: GPL-2.0-only

//go:build !race

package baseline

import (
	"context"
	"slices"
	"testing"
)

// A cell is a ring and the least that thousand passes took, with and without
// switches, in ns.
type cell struct {
	Ring
	name  string
	least [2]int64
}

func (c *cell) measure(t *testing.T) {
	t.Helper()
	for k, overhead := range []bool{false, true} {
		r := c.Ring
		r.Overhead = overhead
		r.Rounds, r.Repeats = max(48/r.Procs, 1), 150
		ns, err := r.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pass := slices.Min(ns) * 1000 / int64(r.Rounds*r.Procs)
		if c.least[k] == 0 || pass < c.least[k] {
			c.least[k] = pass
		}
	}
}

func (c *cell) cost() int64 { return c.least[0] - c.least[1] }

// A switch costs more the more memory the processes of a ring use together, as
// in lmbench's tables: their caches are in real time. What else runs on the
// machine, and pages that lie badly, only add to a repetition; so there are
// many short ones in new processes, by turns, and the least are compared. The
// race detector would measure its own memory.
func TestFootprint(t *testing.T) {
	priority := 50
	if CanFIFO(priority) != nil {
		priority = 0
	}
	ring := func(procs, bytes int) Ring {
		return Ring{Procs: procs, Bytes: bytes, Link: Pipe, CPUs: []int{cpu(t)}, Priority: priority}
	}
	cells := []*cell{{Ring: ring(2, 0), name: "2p/0K"}, {Ring: ring(8, 16<<10), name: "8p/16K"}, {Ring: ring(16, 64<<10), name: "16p/64K"}}
	const least, most = 4, 48
	grows := false
	for turn := 0; turn < least || !grows && turn < most; turn++ {
		for _, c := range cells {
			c.measure(t)
		}
		grows = cells[0].cost() < cells[1].cost() && cells[1].cost() < cells[2].cost()
	}
	for _, c := range cells {
		t.Logf("%-7s %d.%03d ns a switch", c.name, c.cost()/1000, c.cost()%1000)
	}
	if !grows {
		t.Error("the costs do not grow")
	}
}
