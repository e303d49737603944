// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"siglat/sigwait/internal/sys"
)

// page makes a page of the ring buffer of words.
func page(ns, flags uint64, words ...uint32) []byte {
	b := binary.NativeEndian.AppendUint64(nil, ns)
	b = binary.NativeEndian.AppendUint64(b, uint64(4*len(words))|flags)
	for _, w := range words {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	return append(b, make([]byte, 64)...) // what was there before
}

func TestEachEvent(t *testing.T) {
	for _, c := range []struct {
		name   string
		page   []byte
		missed bool
		want   []string
	}{
		{"nothing", page(5, 0), false, nil},
		{"too short", make([]byte, 15), false, nil},
		{"short events", page(100, 0, 2|7<<5, 1, 2, 1|1<<5, 3), false, []string{"107 8", "108 4"}},
		{"a long one", page(100, missedFlag, 0|3<<5, 12, 8, 9, 1|1<<5, 3), true, []string{"103 8", "104 4"}},
		{"time goes on", page(100, 0, typeExtend|5<<5, 1, 1|1<<5, 3), false, []string{fmt.Sprintf("%d 4", 100+1<<27+5+1)}},
		{"absolute time", page(100, 0, typeAbsolute|5<<5, 2, 1|1<<5, 3), false, []string{fmt.Sprintf("%d 4", 2<<27+5+1)}},
		{"padding", page(100, 0, typePadding|5<<5, 8, 7, 1|1<<5, 3), false, []string{"106 4"}},
		{"the rest is empty", page(100, 0, 1|1<<5, 3, typePadding, 8, 7, 1|1<<5, 3), false, []string{"101 4"}},
		{"longer than the page", page(100, 0, 1|1<<5, 3, 28|1<<5, 3), false, []string{"101 4"}},
		{"wrong length", page(100, 0, 0, 1<<31, 5, 5), false, nil},
	} {
		var got []string
		missed := eachEvent(c.page, func(ns int64, data []byte) { got = append(got, fmt.Sprintf("%d %d", ns, len(data))) })
		if !slices.Equal(got, c.want) || missed != c.missed {
			t.Errorf("%s: %q, missed %v; want %q", c.name, got, missed, c.want)
		}
	}
}

func TestCPUMask(t *testing.T) {
	for want, cpus := range map[string][]int{"0": nil, "1": {0}, "5": {0, 2}, "1,00000000": {32}, "80000000,00000000,00000003": {0, 1, 95}} {
		if got := cpuMask(cpus); got != want {
			t.Errorf("%v: %s, want %s", cpus, got, want)
		}
	}
}

// TestConverter gives the events of a switch, an interrupt and a wake-up.
func TestConverter(t *testing.T) {
	index := func(name string) int {
		for i, e := range events {
			if e.name == name {
				return i
			}
		}
		t.Fatalf("no event %s", name)
		return 0
	}
	c := converter{formats: map[uint16]*format{
		1: {1, index("sched/sched_switch"), map[string]int{"prev_comm": 8, "prev_pid": 24, "prev_prio": 28, "next_comm": 32, "next_pid": 48, "next_prio": 52}},
		2: {2, index("irq_vectors/local_timer_entry"), map[string]int{"vector": 8}},
		3: {3, index("irq_vectors/local_timer_exit"), map[string]int{"vector": 8}},
		4: {4, index("sched/sched_waking"), map[string]int{"pid": 8}},
	}}
	words := func(id uint16, words ...uint32) []byte {
		b := binary.NativeEndian.AppendUint64(nil, uint64(id))
		for _, w := range words {
			b = binary.NativeEndian.AppendUint32(b, w)
		}
		return b
	}
	c.event(9, words(3, 236)) // has begun before
	swap := append(words(1), "swapper/0\x00\x00\x00\x00\x00\x00\x00"...)
	swap = append(swap, words(0, 0)[4:]...)[:24]
	swap = binary.NativeEndian.AppendUint32(swap, 0)
	swap = binary.NativeEndian.AppendUint32(swap, 120)
	swap = append(swap, "hog\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	swap = binary.NativeEndian.AppendUint32(swap, 77)
	swap = binary.NativeEndian.AppendUint32(swap, 49)
	c.event(10, swap)
	c.event(20, words(2, 236))
	c.event(25, words(3, 236))
	c.event(30, words(4, 88))
	c.event(31, words(9, 88)) // not ours
	hog := [16]uint8{'h', 'o', 'g'}
	want := []sys.Mark{
		{TimeNS: 10, BeginNS: 10, Kind: sys.MarkSwitch, Number: 77, Policy: policyUnknown, Prio: 120, Comm: [16]uint8([]byte("swapper/0\x00\x00\x00\x00\x00\x00\x00"))},
		{TimeNS: 25, BeginNS: 20, Kind: sys.MarkVector, Number: 236, PID: 77, Policy: policyUnknown, Prio: 49, Comm: hog},
		{TimeNS: 30, BeginNS: 30, Kind: sys.MarkWake, Number: 88, PID: 77, Policy: policyUnknown, Prio: 49, Comm: hog},
	}
	if !slices.Equal(c.marks, want) {
		t.Errorf("\n%+v, want\n%+v", c.marks, want)
	}
}
