// SPDX-License-Identifier: GPL-2.0-only

package blame

import "encoding/binary"

// Layout of a page of the kernel's ring buffer as trace_pipe_raw gives it on
// 64-bit machines: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c and
// the file events/header_page.
const (
	pageHead     = 16 // time stamp, then length and flags
	lengthMask   = 1<<20 - 1
	missedFlag   = 1 << 31 // events before this page were overwritten
	typePadding  = 29
	typeExtend   = 30
	typeAbsolute = 31
	deltaBits    = 27
)

// eachEvent calls f for the events of a page, with their time and content, and
// tells whether events before it are missing. What is malformed ends it.
func eachEvent(page []byte, f func(ns int64, data []byte)) (missed bool) {
	if len(page) < pageHead {
		return false
	}
	ns := binary.NativeEndian.Uint64(page)
	commit := binary.NativeEndian.Uint64(page[8:])
	data := page[pageHead:]
	data = data[:min(len(data), int(commit&lengthMask))]
	for len(data) >= 8 {
		head, word := binary.NativeEndian.Uint32(data), uint64(binary.NativeEndian.Uint32(data[4:]))
		kind, delta := head&31, uint64(head>>5)
		start, size := 4, 4+int(kind)*4
		switch {
		case kind == typePadding && delta == 0:
			return commit&missedFlag != 0 // the rest is empty
		case kind == typePadding:
			start, size = 0, 4+int(word)
		case kind == typeExtend:
			delta |= word << deltaBits
			start, size = 0, 8
		case kind == typeAbsolute:
			// The upper bits, which do not fit, are those of the page.
			const bits = deltaBits + 32
			ns, delta = ns>>bits<<bits|word<<deltaBits|delta, 0
			start, size = 0, 8
		case kind == 0:
			start, size = 8, 4+int(word)
		}
		if ns += delta; size < start || size < 8 || size > len(data) {
			break
		}
		if start > 0 {
			f(int64(ns), data[start:size])
		}
		data = data[size:]
	}
	return commit&missedFlag != 0
}
