// SPDX-License-Identifier: GPL-2.0-only

package baseline

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestNewSwitch(t *testing.T) {
	got := NewSwitch(2, 1024, 50, []int64{300_000, 200_000, 9_000_000}, []int64{50_049, 40_000, 60_000})
	if want := (Switch{2, 1024, 50, 3, 3000, 500, 2500}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := NewSwitch(2, 0, 1, []int64{10}, []int64{20}); got.SwitchNS != -5 {
		t.Errorf("a switch below its overhead: %+v", got)
	}
	for n, want := range map[int]int64{1: 7, 2: 4, 0: 0} {
		if got := PerRound([]int64{9, 7}, n); got != want {
			t.Errorf("of %d rounds: %d, want %d", n, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	b := &Baseline{Version: Version, Clock: "real", CPU: 1, Priority: 99, PingPong: Switch{Procs: 2, SwitchNS: 4},
		Matrix: []Switch{{Procs: 8, Bytes: 16384}}, Calls: []Call{{"clock read", 30}}, Warnings: []string{"w"}}
	if err := b.Write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(dir); err != nil || !reflect.DeepEqual(got, b) {
		t.Errorf("%+v, %v, want %+v", got, err, b)
	}
	for text, want := range map[string]string{"{": "read baseline", `{"version": 2}`: "version 2 of the format"} {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
