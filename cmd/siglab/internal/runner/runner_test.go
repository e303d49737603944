// SPDX-License-Identifier: GPL-2.0-only

package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"siglat/analysis/recording"
	"siglat/cmd/siglab/internal/plan"
)

func record(t *testing.T, dir, name string, complete bool) {
	t.Helper()
	w, err := recording.Create(recording.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	w.Record(recording.SegmentLatency, 5000)
	run := &recording.Run{Name: name, Complete: complete, Clock: "virtual"}
	if err := w.Finish(run); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestCommitReplaces(t *testing.T) {
	out := filepath.Join(t.TempDir(), "runs")
	for _, title := range []string{"first", "second"} {
		s, err := newSlot(out, "a")
		if err != nil {
			t.Fatal(err)
		}
		record(t, s.dir(), title, true)
		if err := s.commit(); err != nil {
			t.Fatal(err)
		}
		s.discard()
		rec, err := recording.Open(filepath.Join(out, "a"))
		if err != nil || rec.Name != title {
			t.Errorf("got %v, %v, want %s", rec, err, title)
		}
		if got := names(t, out); got != "a" {
			t.Errorf("left: %s", got)
		}
	}
}

// What is not whole never takes the place of what is.
func TestCommitRefuses(t *testing.T) {
	out := t.TempDir()
	record(t, filepath.Join(out, "a"), "good", true)
	for what, fill := range map[string]func(dir string){
		"nothing":    func(string) {},
		"empty":      func(dir string) { _ = os.Mkdir(dir, 0o755) },
		"incomplete": func(dir string) { record(t, dir, "bad", false) },
		"no run.json": func(dir string) {
			record(t, dir, "bad", true)
			_ = os.Remove(filepath.Join(dir, "run.json"))
		},
	} {
		s, err := newSlot(out, "a")
		if err != nil {
			t.Fatal(err)
		}
		fill(s.dir())
		if err := s.commit(); err == nil {
			t.Errorf("%s: put into place", what)
		}
		s.discard()
		if rec, err := recording.Open(filepath.Join(out, "a")); err != nil || rec.Name != "good" {
			t.Errorf("%s: the old result is gone: %v", what, err)
		}
		if got := names(t, out); got != "a" {
			t.Errorf("%s: left: %s", what, got)
		}
	}
}

func TestSlotKeepsForeignFolder(t *testing.T) {
	out := t.TempDir()
	if err := os.MkdirAll(filepath.Join(out, "a", "precious"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := newSlot(out, "a"); err == nil || !strings.Contains(err.Error(), "holds no run") {
		t.Errorf("got %v", err)
	}
	if got := names(t, out); got != "a" {
		t.Errorf("left: %s", got)
	}
}

func TestNeedsModule(t *testing.T) {
	for args, want := range map[string]bool{
		"": true, "--cpu 1": true, "--source kernel": true, "--source=auto": true,
		"--source user": false, "--source=user": false, "--source=kernel --source timer": false,
	} {
		if got := needsModule(plan.Run{Args: strings.Fields(args)}); got != want {
			t.Errorf("%q: got %v", args, got)
		}
	}
}

func TestTail(t *testing.T) {
	base := errors.New("failed")
	var said tail
	if got := withTail(base, &said); got != base {
		t.Errorf("silence: got %v", got)
	}
	for range 1000 {
		_, _ = said.Write([]byte("chatter\n"))
	}
	_, _ = said.Write([]byte("a\n\nb\nc\n"))
	if got := withTail(base, &said).Error(); got != "failed: a; b; c" {
		t.Errorf("got %q", got)
	}
	if len(said.buf) > 4096 {
		t.Errorf("%d bytes kept", len(said.buf))
	}
}
