// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"siglat/analysis/recording"
)

// Xenomai's latency on a terminal: lines with a tag before the first bar. RTD
// is a second, RTS the whole run, HSD a class, HSS the sums of a histogram.
// Of its three histograms, avg holds every sample; min and max hold the
// extremes of each second.

func sniffXenoText(head []byte) bool {
	for _, tag := range []string{"RTT|", "RTH|", "RTD|", "RTS|", "HSH|"} {
		if bytes.Contains(head, []byte(tag)) {
			return true
		}
	}
	return false
}

type xenoText struct {
	s     *source
	c     *column
	unit  int64
	ended bool
}

func readXenoText(s *source) ([]*recording.Recording, error) {
	x := &xenoText{s: s, c: &column{binNS: s.unitOr(1000)}, unit: s.unitOr(1000)}
	if err := s.eachLine(func(line string, _ bool) error { return x.line(line) }); err != nil {
		return nil, err
	}
	if !x.ended {
		return nil, s.errorf(s.line, "cut off: no line RTS with the figures of the whole run")
	}
	if len(x.c.bins) > 0 {
		x.c.closed()
		if x.c.count != nil {
			x.c.overflow = nil
		}
	}
	return s.columns("xenomai", []*column{x.c})
}

func (x *xenoText) line(line string) error {
	f := strings.Split(line, "|")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	switch {
	case f[0] == "RTS" && len(f) >= 4:
		if strings.Contains(f[1], "lat") || strings.Contains(f[1], "-") && !strings.ContainsAny(f[1], "0123456789") {
			return nil // a heading
		}
		x.ended = true
		for i, key := range []string{"min:", "avg:", "max:"} {
			if err := x.c.figure(key, f[i+1], x.unit); err != nil {
				return err
			}
		}
	case f[0] == "RTS":
		return fmt.Errorf("RTS with %d fields: cut off", len(f)-1)
	case f[0] == "HSD" && len(f) >= 4 && f[1] == "avg":
		return x.class(f[2], f[3])
	case f[0] == "HSS" && len(f) >= 3 && f[1] == "avg":
		n, err := strconv.ParseUint(f[2], 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no count", quoted(f[2]))
		}
		x.c.count, x.c.line = &n, x.s.here()
	}
	return nil
}

// class takes "low - high" and a count; a class stands for its middle.
func (x *xenoText) class(span, count string) error {
	low, high, ok := strings.Cut(strings.TrimSpace(span), " -")
	if !ok {
		low, high, ok = strings.Cut(strings.TrimLeft(span, " "), "-")
	}
	a, err1 := scaled(strings.TrimSpace(low), x.unit)
	b, err2 := scaled(strings.TrimSpace(high), x.unit)
	n, err3 := strconv.ParseUint(count, 10, 64)
	if !ok || err1 != nil || err2 != nil || err3 != nil || b-a <= 0 || b <= a {
		return fmt.Errorf("HSD: %s and %s are no class and count", quoted(span), quoted(count))
	}
	if len(x.c.bins) == 0 {
		x.c.binNS = b - a
	}
	x.c.bins = append(x.c.bins, bin{a + (b-a)/2, n})
	return nil
}
