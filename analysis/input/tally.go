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
	digits uint64 // all bits of digits that were counted, the first digit in byte 0
	room   int    // bytes that may come before a count could overflow
	rest   plainReader
}

const (
	tallyBits = 21
	// A counted line has two bytes or more.
	tallyRoom = 1 << 33
)

func newTally(unit int64) *tally {
	return &tally{counts: new([1 << tallyBits]uint32), room: tallyRoom, rest: plainReader{unit: unit, d: analysis.NewDistribution()}}
}

// parse takes whole lines; the last may lack its end. It tells whether all
// were integers.
func (t *tally) parse(b []byte) (ok bool) {
	if t.room -= len(b); t.room < 0 {
		t.fold()
		t.room -= len(b)
	}
	return t.lines(b)
}

// lines takes whole lines from three places at a time, so that the processor
// works on some lines while it waits for the ends of others.
func (t *tally) lines(b []byte) (ok bool) {
	size := len(b)
	if size < 2*streams*window {
		_, err := t.rest.parse(b)
		return err == nil
	}
	var of [streams][]byte
	for i := range of {
		n := len(b)
		if i < streams-1 {
			if n = newline(b, n/(streams-i)); n < 0 {
				n = len(b)
			}
		}
		of[i], b = b[:n], b[n:]
	}
	for len(of[0]) >= window && len(of[1]) >= window && len(of[2]) >= window {
		i, j, k := t.short((*[window]byte)(of[0]), (*[window]byte)(of[1]), (*[window]byte)(of[2]))
		odd := max(i, j, k) <= last
		for n, taken := range [...]uint{i, j, k} {
			if of[n] = of[n][taken:]; !odd {
				continue
			}
			if of[n], ok = t.other(of[n]); !ok {
				return false
			}
		}
	}
	for _, rest := range of {
		if len(rest) < size {
			ok = t.lines(rest)
		} else { // one line takes the most of it
			_, err := t.rest.parse(rest)
			ok = err == nil
		}
		if !ok {
			return false
		}
	}
	return true
}

const (
	streams = 3
	window  = 512 // bytes that short looks at in each
	last    = window - 8
)

// other takes one line of any kind and returns what follows it.
func (t *tally) other(b []byte) (after []byte, ok bool) {
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	_, err := t.rest.parse(b[:n])
	return b[n:], err == nil
}

// short counts lines of up to six digits from the starts of three texts. It
// returns how far it came in each: to a line of another kind, or to the last
// seven bytes.
//
// A line is taken as one word of eight bytes. Of the bytes of a plain text
// only a line end lacks the bit 0x10. Shifted so that the line end is byte 6,
// and less what a line end and digits have in common, bytes 0 to 5 must be 0
// to 9 and byte 6 must be 0; a line of another length is shifted to nothing,
// which fails. Pairs of digits then become numbers all at once (Lemire: Number
// parsing at a gigabyte per second, 2021, section 3), and one multiplication
// moves the three pairs together.
func (t *tally) short(a, b, c *[window]byte) (i, j, k uint) {
	const (
		ones  = 0x0101010101010101
		ends  = 0x10 * ones
		lf    = uint64('\n'^'0') << 48
		above = 0x7f767676767676 // carries into the highest bit of a byte that is too large
		highs = 0x80808080808080
		two   = 1 + 10<<8
		pairs = 0xff00ff00ff00
		join  = 1<<49 | 1<<26 | 1<<3
	)
	counts, digits := t.counts, t.digits
	for i <= last && j <= last && k <= last {
		x := binary.LittleEndian.Uint64(a[i:i+8]) ^ '0'*ones
		y := binary.LittleEndian.Uint64(b[j:j+8]) ^ '0'*ones
		z := binary.LittleEndian.Uint64(c[k:k+8]) ^ '0'*ones
		l := uint(bits.TrailingZeros64(x&ends)) / 8
		m := uint(bits.TrailingZeros64(y&ends)) / 8
		n := uint(bits.TrailingZeros64(z&ends)) / 8
		x = x*toByte6[l] ^ lf
		y = y*toByte6[m] ^ lf
		z = z*toByte6[n] ^ lf
		if (x|(x+above)|y|(y+above)|z|(z+above))&highs != 0 {
			break
		}
		digits |= x | y | z
		counts[x*two&pairs*join>>(64-tallyBits)]++
		counts[y*two&pairs*join>>(64-tallyBits)]++
		counts[z*two&pairs*join>>(64-tallyBits)]++
		i += l + 1
		j += m + 1
		k += n + 1
	}
	t.digits = digits
	return i, j, k
}

// toByte6 are the factors that shift byte n of a word to byte 6, for lines of
// one to six digits.
var toByte6 = [9]uint64{1: 1 << 40, 1 << 32, 1 << 24, 1 << 16, 1 << 8, 1}

// fold moves the counts of the table to the distribution. It does not look at
// the part of the table, which may never have been touched, that is for larger
// first digits than there were.
func (t *tally) fold() {
	first := t.digits&0xff*10 + t.digits>>8&0xff
	for i, n := range t.counts[:min(first+1, 100)<<14] {
		if n == 0 {
			continue
		}
		v := int64(i>>14*10000 + i>>7&127*100 + i&127)
		t.rest.d.RecordN(v*t.rest.unit, uint64(n))
		t.counts[i] = 0
	}
	t.room, t.digits = tallyRoom, 0
}
