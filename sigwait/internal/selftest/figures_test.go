// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

const figuresPath = "/proc/siglat"

// A figure is what a line of /proc/siglat says beside CPU and mode.
type figure struct{ count, least, mean, most int64 }

// figures reads the file as cat does: lines by "CPU mode".
func figures(t *testing.T) map[string]figure {
	t.Helper()
	data, err := os.ReadFile(figuresPath)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != "# cpu mode count min_ns mean_ns max_ns" {
		t.Fatalf("first line %q", lines[0])
	}
	all := map[string]figure{}
	for _, line := range lines[1:] {
		var cpu int
		var mode string
		var f figure
		if n, err := fmt.Sscanf(line, "%d %s %d %d %d %d", &cpu, &mode, &f.count, &f.least, &f.mean, &f.most); n != 6 || err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all[fmt.Sprint(cpu, " ", mode)] = f
	}
	return all
}

func resetFigures(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(figuresPath, []byte("0\n"), 0); err != nil {
		t.Fatal(err)
	}
}

// TestFigures: the file says exactly what the events say, for each CPU and
// mode, from the last reset on.
func TestFigures(t *testing.T) {
	names := []string{sys.ModeUser: "user", sys.ModeKthread: "kthread", sys.ModeIRQ: "irq"}
	for _, k := range combinations(t) {
		t.Run(k.String(), func(t *testing.T) {
			receive(t)
			resetFigures(t)
			if f := figures(t); len(f) != 0 {
				t.Fatalf("after a reset: %v", f)
			}
			want := map[string]figure{}
			for cpu := range int32(2) {
				count := uint64(10 + 5*cpu)
				c := sys.Config{Flags: sys.FlagEvents, Mode: k.mode, Context: k.context, Clock: 1, PeriodNS: ms, Count: count, CPU: cpu}
				events := readAll(t, started(t, c), 64)
				want[fmt.Sprint(cpu, " ", names[k.mode])] = figureOf(k.mode, events)
			}
			got := figures(t)
			if len(got) != 2 {
				t.Errorf("lines for %v; want only %v", got, want)
			}
			for key, w := range want {
				if got[key] != w {
					t.Errorf("%s: %+v; want %+v", key, got[key], w)
				}
			}
		})
	}
}

func figureOf(mode uint32, events []sys.Event) figure {
	f := figure{count: int64(len(events)), least: 1 << 62}
	for _, e := range events {
		ns := e.FiredNS - e.ExpiresNS
		if mode == sys.ModeKthread {
			ns = e.DoneNS - e.ExpiresNS
		}
		f.least, f.mean, f.most = min(f.least, ns), f.mean+ns, max(f.most, ns)
	}
	f.mean /= max(f.count, 1)
	return f
}

// TestFiguresReset: a reset while the timer runs loses nothing that comes after it.
func TestFiguresReset(t *testing.T) {
	d := started(t, sys.Config{Mode: sys.ModeIRQ, Clock: 1, PeriodNS: ms, CPU: 1})
	awaitExpired(t, d, 50)
	before := stats(t, d).Expired
	resetFigures(t)
	awaitExpired(t, d, 20)
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	got, most := figures(t)["1 irq"].count, int64(stats(t, d).Expired-before)
	if got > most || got < most-5 {
		t.Errorf("%d since the reset; want nearly %d", got, most)
	}
	var st unix.Stat_t
	if err := unix.Stat(figuresPath, &st); err != nil || st.Mode != unix.S_IFREG|0o644 {
		t.Errorf("mode %o, error %v; want 0644", st.Mode, err)
	}
}
