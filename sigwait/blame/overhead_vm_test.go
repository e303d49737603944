// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package blame

import (
	"testing"
	"time"
)

// TestOverhead: tracing costs less than 15 % of the median by the module and
// more, but not twice the median, by tracefs. Without it a median is the same,
// whatever was traced before: to the nanosecond, but for where in the tick the
// run began, which moves it by some ten of them.
func TestOverhead(t *testing.T) {
	for _, name := range []string{"sigwait", "pause"} {
		c := config(name)
		// Out of step with the tick of 4 ms, which else decides the median.
		c.Period = 10300 * time.Microsecond
		traced := func(by string) int64 {
			c := c
			c.Segments = true
			return median(traceBy(t, c, by))
		}
		c.Segments = false
		first := median(plain(t, c))
		module := traced(device)
		second := median(plain(t, c))
		tracefs := traced("/dev/none")
		third := median(plain(t, c))
		t.Logf("%s: median %d ns, with blame by the module %d, then %d, by tracefs %d, then %d", name, first, module, second, tracefs, third)
		if differ(second, first) || differ(third, first) || module <= first || module > first*115/100 || tracefs <= module || tracefs > 2*first {
			t.Errorf("%s: median %d ns, with blame by the module %d, then %d, by tracefs %d, then %d", name, first, module, second, tracefs, third)
		}
	}
}

// differ tells whether two medians differ by more than 0.5 %: a twentieth of
// what the cheaper way of tracing costs.
func differ(a, b int64) bool {
	return max(a, b)-min(a, b) > min(a, b)/200
}
