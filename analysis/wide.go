// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math/big"
	"math/bits"
)

// wide is a 192-bit integer in two's complement, lowest word first. It holds
// the sum of squares of 2^64 values of any size without rounding: each square
// is at most 2^126.
type wide [3]uint64

func (w *wide) add(o wide) {
	var c uint64
	w[0], c = bits.Add64(w[0], o[0], 0)
	w[1], c = bits.Add64(w[1], o[1], c)
	w[2], _ = bits.Add64(w[2], o[2], c)
}

func (w *wide) sub(o wide) {
	var b uint64
	w[0], b = bits.Sub64(w[0], o[0], 0)
	w[1], b = bits.Sub64(w[1], o[1], b)
	w[2], _ = bits.Sub64(w[2], o[2], b)
}

// product returns hi:lo * n.
func product(hi, lo, n uint64) wide {
	h1, l1 := bits.Mul64(lo, n)
	h2, l2 := bits.Mul64(hi, n)
	mid, c := bits.Add64(h1, l2, 0)
	return wide{l1, mid, h2 + c}
}

// addValues adds v*n.
func (w *wide) addValues(v int64, n uint64) {
	p := product(0, magnitude(v), n)
	if v < 0 {
		w.sub(p)
	} else {
		w.add(p)
	}
}

// addSquares adds v*v*n.
func (w *wide) addSquares(v int64, n uint64) {
	m := magnitude(v)
	hi, lo := bits.Mul64(m, m)
	w.add(product(hi, lo, n))
}

// magnitude returns |ns|; as an unsigned number it exists for every ns.
func magnitude(ns int64) uint64 {
	if ns < 0 {
		return -uint64(ns)
	}
	return uint64(ns)
}

func (w wide) big() *big.Int {
	negative := w[2]>>63 == 1
	if negative {
		z := wide{}
		z.sub(w)
		w = z
	}
	b := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(w[i]))
	}
	if negative {
		b.Neg(b)
	}
	return b
}

// wideFrom returns b as a wide; ok is false when it does not fit.
func wideFrom(b *big.Int) (w wide, ok bool) {
	if b.BitLen() > 191 {
		return w, false
	}
	m := new(big.Int).Abs(b)
	mask := new(big.Int).SetUint64(^uint64(0))
	for i := range w {
		w[i] = new(big.Int).And(m, mask).Uint64()
		m.Rsh(m, 64)
	}
	if b.Sign() < 0 {
		z := wide{}
		z.sub(w)
		w = z
	}
	return w, true
}
