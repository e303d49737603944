// SPDX-License-Identifier: GPL-2.0-only

package sigwait

// window is how many sequence numbers back a duplicate is recognised.
const window = 1 << 16

// An account follows the sequence numbers of one run. Signals carry the lower
// 32 bits; they are extended by the nearest number that fits.
type account struct {
	seen       [window / 64]uint64
	next       uint64 // highest number so far, plus one
	unique     uint64
	duplicates uint64
	reordered  uint64
}

// add takes a received number and returns it with all its bits.
func (a *account) add(low uint32) uint64 {
	delta := int64(int32(low - uint32(a.next)))
	seq := a.next + uint64(delta)
	if delta >= 0 {
		for s := max(a.next, seq-min(seq, window-1)); s < seq; s++ {
			a.clear(s)
		}
		a.next = seq + 1
		a.set(seq)
		a.unique++
		return seq
	}
	if known := -delta <= window && a.isSet(seq); known {
		a.duplicates++
		return seq
	}
	a.reordered++
	a.unique++
	a.set(seq)
	return seq
}

func (a *account) set(s uint64)        { a.seen[s%window/64] |= 1 << (s % 64) }
func (a *account) clear(s uint64)      { a.seen[s%window/64] &^= 1 << (s % 64) }
func (a *account) isSet(s uint64) bool { return a.seen[s%window/64]>>(s%64)&1 == 1 }
