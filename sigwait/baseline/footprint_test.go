// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"context"
	"slices"
	"testing"
)

// A switch costs more the more memory the processes of a ring use together, as
// in lmbench's tables: their caches are in real time. What else runs on the
// machine only adds to a repetition, and there are many short ones, by turns,
// so that the least of them are compared.
func TestFootprint(t *testing.T) {
	cells := []struct {
		Ring
		name string
	}{{Ring{Procs: 2}, "2p/0K"}, {Ring{Procs: 8, Bytes: 16 << 10}, "8p/16K"}, {Ring{Procs: 16, Bytes: 64 << 10}, "16p/64K"}}
	priority := 50
	if CanFIFO(priority) != nil {
		priority = 0
	}
	least := make([][2]int64, len(cells)) // ns for a thousand passes, with and without switches
	for turn := range 4 {
		for i, c := range cells {
			for k, overhead := range []bool{false, true} {
				r := c.Ring
				r.Overhead, r.Link, r.CPUs, r.Priority = overhead, Pipe, []int{cpu(t)}, priority
				r.Rounds, r.Repeats = max(48/r.Procs, 1), 150
				ns, err := r.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				ns1000 := slices.Min(ns) * 1000 / int64(r.Rounds*r.Procs)
				if turn == 0 || ns1000 < least[i][k] {
					least[i][k] = ns1000
				}
			}
		}
	}
	for i, c := range cells {
		cost := least[i][0] - least[i][1]
		t.Logf("%-7s %d.%03d ns a switch", c.name, cost/1000, cost%1000)
		if i > 0 && cost <= least[i-1][0]-least[i-1][1] {
			t.Errorf("%s does not cost more than %s", c.name, cells[i-1].name)
		}
	}
}
