// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// DecodeHDR reads the base64 text of an HdrHistogram (V2, compressed) into a
// distribution. Values above 32767 ns are known to their class only, so that
// the moments are as good as the histogram's digits.
func DecodeHDR(text []byte) (*Distribution, error) {
	d := NewDistribution()
	if err := d.AddHDR(text, nil, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// AddHDR adds the values of an encoded histogram, and those of a second one
// with negative values' magnitudes; either may be empty. With the moments of
// all these values d stays exact; they must belong to the histograms. After
// an error d is as before.
func (d *Distribution) AddHDR(values, negatives []byte, m *Moments) error {
	part := NewDistribution()
	if len(values) > 0 {
		if err := part.addEncoded(values, 1); err != nil {
			return err
		}
	}
	if len(negatives) > 0 {
		if err := part.addEncoded(negatives, -1); err != nil {
			return err
		}
	}
	if m != nil {
		if err := part.setMoments(*m); err != nil {
			return err
		}
	}
	if d.count == 0 {
		*d = *part
		return nil
	}
	d.Merge(part)
	return nil
}

var errCut = errors.New("histogram is cut off")

func (d *Distribution) addEncoded(text []byte, sign int64) error {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(raw, text)
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if raw = raw[:n]; n < 8 {
		return fmt.Errorf("decode histogram: %w", errCut)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	var header [headerV2]byte
	if _, err := io.ReadFull(z, header[:]); err != nil {
		return fmt.Errorf("decode histogram: %w", errCut)
	}
	g, err := geometryOf(raw, header[:])
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	length := int64(binary.BigEndian.Uint32(header[4:]))
	payload, err := io.ReadAll(io.LimitReader(z, min(length, g.most()*9)+1))
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if int64(len(payload)) != length {
		return fmt.Errorf("decode histogram: %w", errCut)
	}
	return d.addPayload(payload, g, sign)
}

// A geometry says which values a histogram's classes hold: 1<<half of them for
// each power of two, the lowest of 1<<unit.
type geometry struct{ half, unit int }

// geometryOf reads the two headers. Only whole numbers in the V2 encoding are
// known: what a DoubleHistogram writes has another cookie or an offset.
func geometryOf(outer, header []byte) (geometry, error) {
	const wordSize = 0xf0 // of old encodings
	if binary.BigEndian.Uint32(outer)&^wordSize != cookieV2Compressed&^wordSize ||
		binary.BigEndian.Uint32(header)&^wordSize != cookieV2&^wordSize || binary.BigEndian.Uint32(header[8:]) != 0 {
		return geometry{}, errors.New("not a compressed V2 histogram of whole numbers")
	}
	digits := binary.BigEndian.Uint32(header[12:])
	lowest := binary.BigEndian.Uint64(header[16:])
	if digits > 5 || lowest < 1 || lowest > 1<<40 {
		return geometry{}, fmt.Errorf("%d digits of values from %d on", digits, lowest)
	}
	single := uint64(2) // largest number with a class of its own
	for range digits {
		single *= 10
	}
	return geometry{half: bits.Len64(single-1) - 1, unit: bits.Len64(lowest) - 1}, nil
}

// most is more than the number of classes.
func (g geometry) most() int64 { return int64(64-g.half) << g.half }

// class returns the values of class i; ok is false beyond the last.
func (g geometry) class(i int64) (low, high int64, ok bool) {
	shift, sub := i>>g.half-1, i&(1<<g.half-1)+1<<g.half
	if shift < 0 {
		shift, sub = 0, i
	}
	shift += int64(g.unit)
	if bits.Len64(uint64(sub))+int(shift) > 63 {
		return 0, 0, false
	}
	low = sub << shift
	return low, low + 1<<shift - 1, true
}

// addPayload adds counts of classes in ascending order.
func (d *Distribution) addPayload(p []byte, g geometry, sign int64) error {
	next, most := int64(0), g.most()
	for len(p) > 0 {
		v, n := varint(p)
		if n == 0 {
			return fmt.Errorf("decode histogram: %w", errCut)
		}
		p = p[n:]
		if v < 0 && v >= next-most {
			next -= v
			continue
		}
		low, high, ok := g.class(next)
		if !ok && v == 0 { // readers may write out the last power of two
			next++
			continue
		}
		if v < 0 || !ok || d.count+uint64(v) < d.count {
			return fmt.Errorf("decode histogram: counts beyond the last class")
		}
		d.addClass(low, high, uint64(v), sign)
		next++
	}
	return nil
}

// varint reads what HDREncoder.varint wrote; n is 0 when p is too short.
func varint(p []byte) (v int64, n int) {
	var u uint64
	for n < len(p) {
		b := p[n]
		if n == 8 {
			u |= uint64(b) << 56
		} else {
			u |= uint64(b&0x7f) << (7 * n)
		}
		n++
		if b < 0x80 || n == 9 {
			return int64(u>>1) ^ -int64(u&1), n
		}
	}
	return 0, 0
}

// addClass counts n values that are known to lie in [low, high], both not
// negative, mirrored below zero when sign is -1. They count at the upper end,
// so that no quantile is understated, and enter the moments at the middle.
func (d *Distribution) addClass(low, high int64, n uint64, sign int64) {
	if n == 0 {
		return
	}
	middle := low + (high-low)/2
	d.RecordN(sign*high, n)
	if middle != high {
		d.sum.addValues(sign*middle, n)
		d.sum.addValues(-sign*high, n)
		var old wide
		old.addSquares(high, n)
		d.squares.addSquares(middle, n)
		d.squares.sub(old)
	}
	d.min, d.max = min(d.min, sign*low, sign*high), max(d.max, sign*low, sign*high)
}
