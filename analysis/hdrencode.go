// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// The HdrHistogram V2 encoding, as in the reference implementation's
// AbstractHistogram.encodeIntoCompressedByteBuffer: a cookie and a length,
// then, deflated, a header of 40 bytes and the counts as ZigZag LEB128
// numbers, where -n stands for n classes without values.
const (
	cookieV2           = 0x1c849303 | 0x10
	cookieV2Compressed = 0x1c849304 | 0x10
	headerV2           = 40
	// highestTrackable is the usual upper end, 2^40 ns or about 18 minutes.
	// Readers that add up histograms want the same in all of them.
	highestTrackable = int64(1) << 40
)

// An HDREncoder encodes distributions for HdrHistogram's files. It reuses its
// memory. The zero value is ready.
type HDREncoder struct {
	plain, packed bytes.Buffer
	deflate       *zlib.Writer
}

// Encode returns the base64 text of the values of d that are not negative,
// and of the magnitudes of the negative ones; each is nil when there are none.
func (e *HDREncoder) Encode(d *Distribution) (values, negatives []byte) {
	values = e.encode(&d.pos)
	if d.neg != nil {
		negatives = e.encode(d.neg)
	}
	return values, negatives
}

func (e *HDREncoder) encode(c *classes) []byte {
	e.plain.Reset()
	e.plain.Write(make([]byte, headerV2))
	next := 0
	c.ascend(func(i int, n uint64) bool {
		switch gap := i - next; {
		case gap == 1:
			e.varint(0)
		case gap > 1:
			e.varint(-int64(gap))
		}
		e.varint(int64(min(n, math.MaxInt64)))
		next = i + 1
		return true
	})
	if next == 0 {
		return nil
	}
	highest := highestTrackable
	if next-1 > classOf(uint64(highest)) {
		highest = math.MaxInt64
	}
	h := e.plain.Bytes()
	binary.BigEndian.PutUint32(h[0:], cookieV2)
	binary.BigEndian.PutUint32(h[4:], uint32(len(h)-headerV2))
	binary.BigEndian.PutUint32(h[12:], SignificantDigits)
	binary.BigEndian.PutUint64(h[16:], 1)
	binary.BigEndian.PutUint64(h[24:], uint64(highest))
	binary.BigEndian.PutUint64(h[32:], math.Float64bits(1))
	return e.pack(h)
}

// varint appends v in ZigZag LEB128 of at most nine bytes; the ninth carries
// eight bits.
func (e *HDREncoder) varint(v int64) {
	u := uint64(v<<1) ^ uint64(v>>63)
	for i := 0; i < 8 && u > 0x7f; i++ {
		e.plain.WriteByte(byte(u) | 0x80)
		u >>= 7
	}
	e.plain.WriteByte(byte(u))
}

// pack deflates b and returns it as base64 text behind the outer header.
// Writing to memory does not fail.
func (e *HDREncoder) pack(b []byte) []byte {
	e.packed.Reset()
	e.packed.Write(make([]byte, 8))
	if e.deflate == nil {
		e.deflate = zlib.NewWriter(&e.packed)
	} else {
		e.deflate.Reset(&e.packed)
	}
	_, _ = e.deflate.Write(b)
	_ = e.deflate.Close()
	p := e.packed.Bytes()
	binary.BigEndian.PutUint32(p[0:], cookieV2Compressed)
	binary.BigEndian.PutUint32(p[4:], uint32(len(p)-8))
	return base64.StdEncoding.AppendEncode(nil, p)
}
