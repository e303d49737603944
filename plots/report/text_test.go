// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", 17: "17 ns", 50 * time.Microsecond: "50 µs", 1500 * time.Microsecond: "1.5 ms", 100 * time.Millisecond: "100 ms",
		100 * time.Second: "100 s", 12*time.Minute + 5*time.Second: "12 min 5 s", 5*time.Hour + 33*time.Minute: "5 h 33 min",
	} {
		if got := strings.ReplaceAll(duration(int64(d)), "\u00a0", " "); got != want {
			t.Errorf("duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCPUs(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "1,3,5-6": {1, 3, 5, 6}} {
		if got := cpus(list); got != want {
			t.Errorf("cpus(%v) = %q, want %q", list, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	if got, want := command([]string{"sigwait", "--name", "a b", "it's", ""}), `sigwait --name 'a b' 'it'\''s' ''`; got != want {
		t.Errorf("command is %s, want %s", got, want)
	}
}
