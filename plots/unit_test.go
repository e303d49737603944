// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"math"
	"testing"
)

func TestFormatNS(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 17: "17 ns", 0.25: "0.2 ns", 5863: "5.863 µs", 46002: "46.00 µs", 999_999: "1000 µs",
		10_100_065: "10.10 ms", -2500: "-2.500 µs", 3e9: "3.000 s", 12_345e9: "12 345 s",
		math.Inf(1): "unknown",
	} {
		if got := FormatNS(ns); got != nbsp(want) {
			t.Errorf("FormatNS(%v) = %q, want %q", ns, got, want)
		}
	}
	if got := FormatNS(math.NaN()); got != "unknown" {
		t.Errorf("FormatNS(NaN) = %q", got)
	}
}

func TestMicrosAndCount(t *testing.T) {
	for ns, want := range map[float64]string{5863: "5.863", 1_631_636: "1631.636", 10_100_065: "10 100.065", -17: "-0.017", 0: "0.000"} {
		if got := Micros(ns); got != nbsp(want) {
			t.Errorf("Micros(%v) = %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 10000: "10 000", 100_000_000: "100 000 000"} {
		if got := Count(n); got != nbsp(want) {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestStepDecimals(t *testing.T) {
	us := unit{"µs", 1e3}
	for _, c := range []struct {
		ns, step float64
		want     string
	}{{5000, 1000, "5"}, {5500, 500, "5.5"}, {5863, 1, "5.863"}, {0, 20, "0.00"}, {-200, 100, "-0.2"}, {2e7, 1e7, "20 000"}} {
		if got := us.step(c.ns, c.step); got != nbsp(c.want) {
			t.Errorf("step(%g, %g) = %q, want %q", c.ns, c.step, got, c.want)
		}
	}
}

// nbsp writes the space of a number or unit as it is printed.
func nbsp(s string) string {
	r := []rune(s)
	for i := range r {
		if r[i] == ' ' {
			r[i] = '\u00a0'
		}
	}
	return string(r)
}
