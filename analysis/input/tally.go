// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"siglat/analysis"
)

// A tally counts plain integers of up to six digits in a table, exactly, and
// hands lines of any other kind to a plainReader. The place of a value in the
// table has seven bits for each pair of its digits.
type tally struct {
	counts *[1 << tallyBits]uint32
	room   int // bytes that may come before a count could overflow
	rest   plainReader
}

const (
	tallyBits = 21
	// A counted line has two bytes or more.
	tallyRoom = 1 << 33
)

func newTally(unit int64) *tally {
	return &tally{new([1 << tallyBits]uint32), tallyRoom, plainReader{unit: unit, d: analysis.NewDistribution()}}
}

// parse takes whole lines; the last may lack its end. It tells whether all
// were integers.
func (t *tally) parse(b []byte) (ok bool) {
	if t.room -= len(b); t.room < 0 {
		t.fold()
		t.room -= len(b)
	}
	for len(b) > minHalves {
		middle := len(b) / 2
		if middle += 1 + bytes.IndexByte(b[middle:], '\n'); middle > len(b)-8 || b[middle-1] != '\n' {
			break
		}
		first, second := b[:middle], b[middle:]
		for len(first) >= 8 && len(second) >= 8 {
			i, j := t.short(first, second)
			if first, ok = t.other(first[i:]); !ok {
				return false
			}
			if second, ok = t.other(second[j:]); !ok {
				return false
			}
		}
		if len(second) >= 8 {
			first, second = second, first
		}
		if _, err := t.rest.parse(second); err != nil {
			return false
		}
		b = first
	}
	_, err := t.rest.parse(b)
	return err == nil
}

// minHalves is the length from which two lines are taken at a time.
const minHalves = 64

// other takes one line of any kind and returns what follows it.
func (t *tally) other(b []byte) (after []byte, ok bool) {
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	_, err := t.rest.parse(b[:n])
	return b[n:], err == nil
}

// short counts lines of up to six digits from two places at a time, so that
// the processor works on one line while it waits for the end of the other. It
// returns how far it came in each: to a line of another kind, or to the last
// seven bytes.
//
// A line is taken as one word of eight bytes. Of the bytes of a plain text
// only a line end lacks the bit 0x10. Shifted so that the line end is the
// highest byte, and less what a line end and digits have in common, all bytes
// must be 0 to 9, the highest and the lowest 0; and the first byte of the
// line was not its end. Pairs of digits then become
// numbers all at once (Lemire: Number parsing at a gigabyte per second, 2021,
// section 3), and one multiplication moves the three pairs together.
func (t *tally) short(a, b []byte) (i, j int) {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
		lf    = uint64('\n'^'0') << 56
		above = 0x7f7676767676767f // carries into the highest bit of a byte that is too large
		pairs = 0x0000ff00ff00ff00
		join  = 1<<49 | 1<<26 | 1<<3
	)
	for i+8 <= len(a) && j+8 <= len(b) {
		v := binary.LittleEndian.Uint64(a[i:]) ^ '0'*ones
		w := binary.LittleEndian.Uint64(b[j:]) ^ '0'*ones
		m := bits.TrailingZeros64(v & (0x10 * ones))
		n := bits.TrailingZeros64(w & (0x10 * ones))
		v = v<<((60-m)&63) ^ lf
		w = w<<((60-n)&63) ^ lf
		if (v|(v+above)|uint64(m-12)|w|(w+above)|uint64(n-12))&highs != 0 {
			break
		}
		v = (v*10 + v>>8) & pairs * join >> (64 - tallyBits)
		w = (w*10 + w>>8) & pairs * join >> (64 - tallyBits)
		t.counts[v]++
		t.counts[w]++
		i += m/8 + 1
		j += n/8 + 1
	}
	return i, j
}

// fold moves the counts of the table to the distribution.
func (t *tally) fold() {
	for i, n := range t.counts {
		if n == 0 {
			continue
		}
		v := int64(i>>14*10000 + i>>7&127*100 + i&127)
		t.rest.d.RecordN(v*t.rest.unit, uint64(n))
		t.counts[i] = 0
	}
	t.room = tallyRoom
}
