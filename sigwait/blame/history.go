// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"cmp"
	"slices"

	"siglat/sigwait/internal/sys"
)

// A history is what is known of one CPU: marks in order of their time. An
// interrupt's time is its end.
type history struct {
	cpu   int
	next  uint32 // number of the next mark to be taken from the module
	marks []sys.Mark
	since int64 // from then on no mark is missing
}

// add takes newer marks; a gap says that some before them are lost.
func (h *history) add(marks []sys.Mark, gap bool) {
	if len(marks) == 0 {
		return
	}
	if gap {
		h.marks, h.since = h.marks[:0], marks[0].TimeNS
	}
	if len(h.marks) >= 2*kept {
		h.since = h.marks[len(h.marks)-kept-1].TimeNS
		h.marks = append(h.marks[:0], h.marks[len(h.marks)-kept:]...)
	}
	h.marks = append(h.marks, marks...)
}

// after returns the marks whose time is not before a reading of the clock.
func (h *history) after(ns int64) []sys.Mark {
	i, _ := slices.BinarySearchFunc(h.marks, ns, func(m sys.Mark, ns int64) int { return cmp.Compare(m.TimeNS, ns) })
	return h.marks[i:]
}

// between returns the marks whose time lies in [from, to].
func (h *history) between(from, to int64) []sys.Mark {
	marks := h.after(from)
	i, _ := slices.BinarySearchFunc(marks, to+1, func(m sys.Mark, ns int64) int { return cmp.Compare(m.TimeNS, ns) })
	return marks[:i]
}

// first and last return the mark of a time span that satisfies ok.
func (h *history) first(from, to int64, ok func(*sys.Mark) bool) *sys.Mark {
	marks := h.between(from, to)
	for i := range marks {
		if ok(&marks[i]) {
			return &marks[i]
		}
	}
	return nil
}

func (h *history) last(from, to int64, ok func(*sys.Mark) bool) *sys.Mark {
	marks := h.between(from, to)
	for i := len(marks) - 1; i >= 0; i-- {
		if ok(&marks[i]) {
			return &marks[i]
		}
	}
	return nil
}
