// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"slices"
	"testing"
	"time"
)

// A machine that was suspended has a larger lead of CLOCK_BOOTTIME at the end
// than at the start: here the start is moved back instead.
func TestSuspendIsTold(t *testing.T) {
	for _, c := range []struct {
		during time.Duration
		want   []string
	}{
		{0, nil},
		{90 * time.Second, []string{"the machine was suspended for 1m30s during the run"}},
	} {
		w, err := watchClock()
		if err != nil {
			t.Fatal(err)
		}
		w.suspended -= c.during
		if got := w.end(ClockMonotonic); !slices.Equal(got, c.want) {
			t.Errorf("suspended for %v: %q", c.during, got)
		}
	}
}
