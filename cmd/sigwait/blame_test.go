// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/sigwait/blame"
)

// A fakeTracer blames latencies of an odd number of ns on odd, the others on
// even.
type fakeTracer struct{ filled, closed int }

func (f *fakeTracer) Fill() error  { f.filled++; return nil }
func (f *fakeTracer) Close() error { f.closed++; return nil }
func (f *fakeTracer) Lost() uint64 { return 7 }
func (f *fakeTracer) Costly() bool { return true }

func (f *fakeTracer) WriteText(w io.Writer, from int64, s blame.Sample) error {
	_, err := fmt.Fprintf(w, "from %d ns before\n", s.SentNS-from)
	return err
}

func (f *fakeTracer) Ran(s blame.Sample, from int64, most int) []blame.Turn {
	return []blame.Turn{{Task: blame.Task{Name: "before"}, FromNS: from, ToNS: s.SentNS}}
}

func (f *fakeTracer) Explain(s blame.Sample) blame.Verdict {
	ns := s.ReceivedNS - s.SentNS
	task := &blame.Task{Name: "even", PID: int(ns), Policy: "other", Nice: 5}
	if ns%2 == 1 {
		task = &blame.Task{Name: "odd", PID: int(ns), Policy: "fifo", Priority: 50}
	}
	return blame.Verdict{Parts: []blame.Part{{Name: blame.Switch, NS: ns - 1}, {Name: blame.User, NS: 1}},
		Unseen: []string{blame.Own}, Victim: blame.Task{Name: "v", PID: 1, Policy: "other"}, Culprit: task, CulpritNS: ns - 2,
		Interrupts: []blame.Interrupt{{Name: "irq 4", Count: 2, NS: 9}}}
}

func TestBlame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	tracer := &fakeTracer{}
	f := &fake{latencies: []int64{100, 5000, 301, 701, 7000, 9001}, tracer: tracer}
	if _, err := runFake(t, context.Background(), f, io.Discard, "--blame", "-o", dir); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if tracer.filled == 0 || tracer.closed != 1 || !strings.Contains(strings.Join(rec.Warnings, "\n"), "7 marks of the kernel were overwritten") {
		t.Errorf("filled %d, closed %d, warnings %q", tracer.filled, tracer.closed, rec.Warnings)
	}
	for i, c := range []recording.Culprit{
		{Task: recording.Task{Comm: "even", PID: 7000, Policy: "other", Nice: 5}, Count: 3, TotalNS: 12094, WorstNS: 7000},
		{Task: recording.Task{Comm: "odd", PID: 9001, Policy: "fifo", Priority: 50}, Count: 3, TotalNS: 9997, WorstNS: 9001},
	} {
		if len(rec.Culprits) != 2 || rec.Culprits[i] != c {
			t.Errorf("culprits %+v, want %+v", rec.Culprits, c)
		}
	}
	b := rec.Worst[0].Blame
	if b == nil || b.Culprit.PID != 9001 || b.CulpritNS != 8999 || b.PartsNS[blame.Switch] != 9000 || b.BootNS == 0 || b.Wall.Before(rec.Start) || len(rec.Longest) != 6 {
		t.Errorf("worst %+v, blame %+v", rec.Worst[0], b)
	}
	line, err := os.ReadFile(filepath.Join(dir, maxLatencyFile))
	if ok := regexp.MustCompile(`^1 -21 9 \(0\) v <- 9001 50 odd \d+\.\d{6}\n$`).Match(line); err != nil || !ok {
		t.Errorf("%s: %q, %v", maxLatencyFile, line, err)
	}
	hlog, err := os.ReadFile(filepath.Join(dir, histogramFile))
	if n := strings.Count(string(hlog), "\nTag=cpu1-"); err != nil || n != 5 || !strings.Contains(string(hlog), "Tag=cpu1-timer+wakeup+switch,") {
		t.Errorf("%s has %d histograms, %v", histogramFile, n, err)
	}
	if r := b.Ran; len(r) != 1 || r[0].FromNS != 29001 || r[0].ToNS != 9001 || r[0].Task.Comm != "before" {
		t.Errorf("ran %+v", r)
	}
	text, err := os.ReadFile(filepath.Join(dir, blameFile))
	for _, want := range []string{"odd/9001 FIFO 50", "   parts in ns  switch 9000, user 1, not told apart: own\n", "   interrupts   irq 4: 2, 9 ns\n", "even/7000 OTHER nice 5                          3        12094         7000\n"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, no %q in:\n%s", err, want, text)
		}
	}
}

func TestBreakAbove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := &fake{latencies: []int64{100, 200, 201, 100, 900}, batch: 1, tracer: &fakeTracer{}}
	_, err := runFake(t, context.Background(), f, io.Discard, "--break-above", "200ns", "-o", dir)
	var code *cli.CodeError
	if !errors.As(err, &code) || code.Code != cli.ExitExceeded || err.Error() != "signal 2 took 201ns, which is above 200ns" || f.sent != 3 {
		t.Errorf("%v after %d signals", err, f.sent)
	}
	if text, err := os.ReadFile(filepath.Join(dir, traceFile)); err != nil || string(text) != "from 10000000 ns before\n" {
		t.Errorf("%q, %v", text, err)
	}
	rec, err := recording.Open(dir)
	if err != nil || rec.Latency.Count != 3 || rec.Worst[0].Blame.Ran[0].FromNS != 10_000_201 || rec.Worst[1].Blame.Ran[0].FromNS != 20_200 {
		t.Errorf("%+v, %v", rec, err)
	}
	// Those that come before the end are in no figure, and that is said.
	dir = filepath.Join(t.TempDir(), "run")
	f = &fake{latencies: []int64{100, 300, 900, 100}, tracer: &fakeTracer{}}
	_, err = runFake(t, context.Background(), f, io.Discard, "--break-above", "200ns", "-o", dir)
	const want = "signal 1 took 300ns, which is above 200ns; 2 later ones are counted, but in no other figure"
	if !errors.As(err, &code) || code.Code != cli.ExitExceeded || err.Error() != want {
		t.Errorf("got %v", err)
	}
	rec, err = recording.Open(dir)
	if err != nil || rec.Counts.Received != 4 || rec.Latency.Count != 2 || rec.Latency.Max != 300 || len(rec.Longest) != 2 || !strings.Contains(strings.Join(rec.Warnings, "\n"), want) {
		t.Errorf("%+v, %v", rec, err)
	}
	f = &fake{latencies: []int64{100, 200}, tracer: &fakeTracer{}}
	if _, err := runFake(t, context.Background(), f, io.Discard, "--break-above", "200ns"); err != nil {
		t.Errorf("none above: %v", err)
	}
}

// Each interval has a line of its own, and histograms.
func TestBlameEvery(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := &fake{latencies: []int64{1000, 2001, 3000, 4001}, batch: 1, pause: 20 * time.Millisecond, tracer: &fakeTracer{}}
	if _, err := runFake(t, context.Background(), f, io.Discard, "--blame", "--blame-every", "5ms", "-o", dir); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(dir, maxLatencyFile))
	if n := strings.Count(string(lines), "\n"); err != nil || n != 4 || strings.Count(string(lines), " 50 odd ") != 2 {
		t.Errorf("%d lines, %v:\n%s", n, err, lines)
	}
	hlog, err := os.ReadFile(filepath.Join(dir, histogramFile))
	if n := strings.Count(string(hlog), "\nTag=cpu1-wakeup,"); err != nil || n != 4 {
		t.Errorf("%d histograms, %v", n, err)
	}
}

func TestBlameCannotBeHad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	said, err := runFake(t, context.Background(), &fake{latencies: []int64{1, 2}}, io.Discard, "--blame", "-o", dir)
	if err != nil || !strings.HasPrefix(said, "sigwait: the run goes on without --blame: broken\n") {
		t.Errorf("said %q, %v", said, err)
	}
	rec, err := recording.Open(dir)
	if err != nil || rec.Latency.Count != 2 || rec.Worst[0].Blame != nil || !strings.Contains(strings.Join(rec.Warnings, "\n"), "nobody is blamed: broken") {
		t.Errorf("%+v, %v", rec, err)
	}
	if _, err := os.Stat(filepath.Join(dir, blameFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", blameFile, err)
	}
}
