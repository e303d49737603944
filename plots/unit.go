// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"strconv"
	"strings"
)

// A unit is what an axis is written in.
type unit struct {
	name string
	ns   float64
}

var units = []unit{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}}

// unitFor returns the largest unit in which the magnitude is at least 1 and
// a step, when there is one, needs no more than three decimals.
func unitFor(magnitude, step float64) unit {
	for _, u := range units {
		if math.Abs(magnitude) >= u.ns && (step <= 0 || step >= u.ns/1000) {
			return u
		}
	}
	return units[len(units)-1]
}

// number writes a value in ns in the unit with about four significant
// digits, but never cuts digits before the point.
func (u unit) number(ns float64) string {
	v := ns / u.ns
	decimals := 0
	if u.ns > 1 {
		switch a := math.Abs(v); {
		case a < 9.9995:
			decimals = 3
		case a < 99.995:
			decimals = 2
		case a < 999.95:
			decimals = 1
		}
	}
	return group(strconv.FormatFloat(v, 'f', decimals, 64))
}

// long writes a value with its unit: u, or a larger one where u would need
// six digits before the point.
func (u unit) long(ns float64) string {
	if math.Abs(ns) >= 1e5*u.ns {
		return FormatNS(ns)
	}
	return u.number(ns) + "\u00a0" + u.name
}

// step writes a multiple of step ns with exactly the decimals it needs.
func (u unit) step(ns, step float64) string {
	decimals := 0
	for s := step / u.ns; decimals < 9 && math.Abs(s-math.Round(s)) > 1e-6*s; s *= 10 {
		decimals++
	}
	v := ns / u.ns
	if v == 0 {
		v = 0 // no minus sign
	}
	return group(strconv.FormatFloat(v, 'f', decimals, 64))
}

// FormatNS writes a latency given in ns with four significant digits in the
// unit that suits it: "5.863 µs", "10.10 ms".
func FormatNS(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return "unknown"
	}
	u := unitFor(ns, 0)
	if u.ns == 1 && ns != math.Trunc(ns) {
		return strconv.FormatFloat(ns, 'f', 1, 64) + "\u00a0ns"
	}
	return u.number(ns) + "\u00a0" + u.name
}

// group sets a no-break space between thousands from 10 000 on.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, dot := strings.Cut(s, ".")
	if len(whole) > 4 {
		var b strings.Builder
		for i, r := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				b.WriteString("\u00a0")
			}
			b.WriteRune(r)
		}
		whole = b.String()
	}
	if dot {
		whole += "." + frac
	}
	return sign + whole
}

// Micros writes a latency given in ns as µs with three decimals, without the
// unit: exact for whole ns, and the points of a column stand under each other.
func Micros(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return "unknown"
	}
	return group(strconv.FormatFloat(ns/1e3, 'f', 3, 64))
}

// Count writes a number of samples or signals.
func Count(n uint64) string { return group(strconv.FormatUint(n, 10)) }
