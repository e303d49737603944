// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import "testing"

func TestAccount(t *testing.T) {
	const top = 1 << 32
	cases := []struct {
		name                          string
		start                         uint64
		in                            []uint32
		want                          []uint64
		unique, duplicates, reordered uint64
	}{
		{"in order", 0, []uint32{0, 1, 2}, []uint64{0, 1, 2}, 3, 0, 0},
		{"gap", 0, []uint32{0, 5}, []uint64{0, 5}, 2, 0, 0},
		{"duplicate", 0, []uint32{0, 1, 1, 0}, []uint64{0, 1, 1, 0}, 2, 2, 0},
		{"late", 0, []uint32{0, 2, 1}, []uint64{0, 2, 1}, 3, 0, 1},
		{"late twice", 0, []uint32{0, 2, 1, 1}, []uint64{0, 2, 1, 1}, 3, 1, 1},
		{"wrap", top - 1, []uint32{top - 1, 0, 1}, []uint64{top - 1, top, top + 1}, 3, 0, 0},
		{"late over the wrap", top - 1, []uint32{0, top - 1}, []uint64{top, top - 1}, 2, 0, 1},
		{"gap beyond the window", 0, []uint32{0, 1 << 20, 1<<20 - 1, 0}, []uint64{0, 1 << 20, 1<<20 - 1, 0}, 4, 0, 2},
	}
	for _, c := range cases {
		a := account{next: c.start}
		for i, low := range c.in {
			if got := a.add(low); got != c.want[i] {
				t.Errorf("%s: number %d is %d, want %d", c.name, i, got, c.want[i])
			}
		}
		if a.unique != c.unique || a.duplicates != c.duplicates || a.reordered != c.reordered {
			t.Errorf("%s: unique %d duplicates %d reordered %d", c.name, a.unique, a.duplicates, a.reordered)
		}
	}
}
