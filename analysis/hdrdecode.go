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

	"github.com/HdrHistogram/hdrhistogram-go"
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
	ours := binary.BigEndian.Uint32(raw) == cookieV2Compressed &&
		binary.BigEndian.Uint32(header[0:]) == cookieV2 &&
		binary.BigEndian.Uint32(header[12:]) == SignificantDigits &&
		binary.BigEndian.Uint64(header[16:]) == 1
	if !ours {
		return d.addForeign(text, sign)
	}
	length := int64(binary.BigEndian.Uint32(header[4:]))
	payload, err := io.ReadAll(io.LimitReader(z, min(length, classCount*9)+1))
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if int64(len(payload)) != length {
		return fmt.Errorf("decode histogram: %w", errCut)
	}
	return d.addPayload(payload, sign)
}

// addPayload adds counts whose classes are d's own.
func (d *Distribution) addPayload(p []byte, sign int64) error {
	next := int64(0)
	for len(p) > 0 {
		v, n := varint(p)
		if n == 0 {
			return fmt.Errorf("decode histogram: %w", errCut)
		}
		p = p[n:]
		switch {
		case v < 0 && v >= -(classCount-next):
			next -= v
			continue
		case v < 0 || next >= classCount || d.count+uint64(v) < d.count:
			return fmt.Errorf("decode histogram: counts beyond the last class")
		}
		low, high := classRange(int(next))
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

// addForeign adds a histogram of other geometry through the library.
func (d *Distribution) addForeign(text []byte, sign int64) error {
	h, err := hdrhistogram.Decode(text)
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	for _, bar := range h.Distribution() {
		if bar.From < 0 || bar.To < bar.From {
			return fmt.Errorf("decode histogram: class from %d to %d", bar.From, bar.To)
		}
		d.addClass(bar.From, bar.To, uint64(bar.Count), sign)
	}
	return nil
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
