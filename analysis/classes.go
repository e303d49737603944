// SPDX-License-Identifier: GPL-2.0-only

package analysis

import (
	"math"
	"math/bits"
)

// The classes are those of an HdrHistogram with four significant digits and a
// lowest value of 1, over all 63-bit magnitudes: one class for each value
// below exactBelow, then 16384 classes for each power of two.
const (
	halfBits   = 14
	exactBelow = 1 << (halfBits + 1)
	classCount = (64 - halfBits) << halfBits // the last one also holds the magnitude of the smallest int64
)

// Counters are allocated in blocks when first used: latencies of one run
// cluster, and empty blocks cost nothing to walk, merge or clear.
const (
	blockBits  = 11
	blockSize  = 1 << blockBits
	blockCount = (classCount + blockSize - 1) / blockSize
)

type (
	block   [blockSize]uint64
	classes [blockCount]*block
)

// classOf returns the index of the class that holds magnitude m.
func classOf(m uint64) int {
	if m < exactBelow {
		return int(m)
	}
	m = min(m, math.MaxInt64)
	shift := bits.Len64(m) - (halfBits + 1)
	return shift<<halfBits + int(m>>shift)
}

// classRange returns the lowest and highest magnitude of class i.
func classRange(i int) (low, high int64) {
	if i < exactBelow {
		return int64(i), int64(i)
	}
	shift := i>>halfBits - 1
	low = int64(i-shift<<halfBits) << shift
	return low, low + (1<<shift - 1)
}

// add counts n values in class i.
func (c *classes) add(i int, n uint64) {
	b := c[i>>blockBits]
	if b == nil {
		b = new(block)
		c[i>>blockBits] = b
	}
	b[i%blockSize] += n
}

func (c *classes) merge(o *classes) {
	for i, from := range o {
		if from == nil {
			continue
		}
		to := c[i]
		if to == nil {
			to = new(block)
			c[i] = to
		}
		for j, n := range from {
			to[j] += n
		}
	}
}

// clear forgets all counts and keeps the memory.
func (c *classes) clear() {
	for _, b := range c {
		if b != nil {
			clear(b[:])
		}
	}
}

// ascend yields occupied classes from the lowest magnitude up; it tells
// whether yield wanted all.
func (c *classes) ascend(yield func(i int, n uint64) bool) bool {
	for k, b := range c {
		if b == nil {
			continue
		}
		for j, n := range b {
			if n != 0 && !yield(k<<blockBits+j, n) {
				return false
			}
		}
	}
	return true
}

// descend yields occupied classes from the highest magnitude down.
func (c *classes) descend(yield func(i int, n uint64) bool) bool {
	for k := len(c) - 1; k >= 0; k-- {
		b := c[k]
		if b == nil {
			continue
		}
		for j := blockSize - 1; j >= 0; j-- {
			if n := b[j]; n != 0 && !yield(k<<blockBits+j, n) {
				return false
			}
		}
	}
	return true
}

// mirrored returns the range of class i below zero, in ns.
func mirrored(i int) (low, high int64) {
	low, high = classRange(i)
	if i == classCount-1 {
		return math.MinInt64, -low
	}
	return -high, -low
}
