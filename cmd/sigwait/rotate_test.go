// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
	"siglat/sigwait"
)

// members opens the directories of a rotation, in order.
func members(t *testing.T, dir string) (recs []*recording.Recording) {
	t.Helper()
	names, err := fs.Glob(os.DirFS(dir), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		rec, err := recording.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	o, err := parse([]string{"-o", dir, "--name", "n", "--rotate", "1s"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.rotate = 1 // ns: after each batch
	r, err := newRecorder(o, new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	latencies := steps(100)
	f := &fake{latencies: latencies, batch: 10, lost: 2, change: func(res *sigwait.Result) { res.Counts.Refused = 5 }}
	var out bytes.Buffer
	if err := r.record(context.Background(), f.engine(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	recs := members(t, dir)
	var sum recording.Counts
	all, whole := analysis.NewDistribution(), analysis.NewDistribution()
	for _, rec := range recs {
		if !rec.Complete || !strings.HasPrefix(rec.Name, "n/20") {
			t.Errorf("%s: name %s, complete %v", rec.Path, rec.Name, rec.Complete)
		}
		sum.Sent, sum.Received = sum.Sent+rec.Counts.Sent, sum.Received+rec.Counts.Received
		sum.Lost, sum.Refused = sum.Lost+rec.Counts.Lost, sum.Refused+rec.Counts.Refused
		if d := rec.Latencies(); d != nil {
			all.Merge(d)
		}
	}
	for _, ns := range latencies {
		whole.Record(ns)
	}
	if want := (recording.Counts{Sent: 120, Received: 100, Lost: 20, Refused: 5}); len(recs) != 11 || sum != want {
		t.Errorf("%d directories, %+v; want 11, %+v", len(recs), sum, want)
	}
	if all.Summary() != whole.Summary() || strings.Count(out.String(), "\n") != 100 {
		t.Errorf("%+v, want %+v; printed %q", all.Summary(), whole.Summary(), out.String())
	}
	if n := recs[3].Counts; n.Received != 10 || n.Lost != 2 {
		t.Errorf("one of them: %+v", n)
	}
}

// A disk that is full after a rotation ends the run with an error.
func TestRotationFails(t *testing.T) {
	dir := t.TempDir()
	o, err := parse([]string{"-o", filepath.Join(dir, "x"), "--rotate", "1s"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.rotate = 1
	r, err := newRecorder(o, new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{latencies: steps(100), batch: 10, lost: 2, between: func(batch int) {
		if batch == 5 { // whoever is root may write anywhere, but not below a file
			if err := r.lastFinished(); err != nil {
				t.Error(err)
			}
			if err := os.Rename(o.out, filepath.Join(dir, "y")); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(o.out, nil, 0o644); err != nil {
				t.Error(err)
			}
		}
	}}
	if err := r.record(context.Background(), f.engine(), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), o.out) || f.sent > 60 {
		t.Errorf("%v after %d signals", err, f.sent)
	}
	// The last one is complete once: what happened is told once.
	if w := slices.Sorted(slices.Values(r.run.Warnings)); len(w) == 0 || len(slices.Compact(w)) != len(r.run.Warnings) {
		t.Errorf("warnings %q", r.run.Warnings)
	}
}

// No signal is left out at a boundary: what is printed is what the directories
// hold, in order.
func TestRotationOfAProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "--period", "1ms", "-t", "3500ms", "--rotate", "1s", "-o", dir, "--samples")
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err, cmd.Stderr)
	}
	var written bytes.Buffer
	recs := members(t, dir)
	for _, rec := range recs {
		b, err := os.ReadFile(filepath.Join(rec.Path, recording.SamplesFile))
		if err != nil {
			t.Fatal(err)
		}
		written.Write(b)
		if n := rec.Counts; !rec.Complete || n.Sent != n.Received+n.Lost || n.Received != rec.Latency.Count+n.Invalid+n.RingDrops {
			t.Errorf("%s: %+v, %d latencies", rec.Path, n, rec.Latency.Count)
		}
	}
	if len(recs) < 2 || !bytes.Equal(printed, written.Bytes()) {
		t.Errorf("%d directories with %d bytes of samples, printed %d", len(recs), written.Len(), len(printed))
	}
}

func TestDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "90s": 90 * time.Second, "0d1h": time.Hour,
		"d": -1, "1.5d": -1, "-1d": -1, "1d-1h": -1, "1h1d": -1, "99999999d": -1, "": -1, "5": -1,
	} {
		var d days
		if err := d.Set(text); (err != nil) != (want < 0) || err == nil && time.Duration(d) != want {
			t.Errorf("%q: %v, %v", text, time.Duration(d), err)
		}
	}
	for _, args := range []string{"--rotate 1h", "--rotate 1ms -o x", "--rotate 1h -o x --json", "--rotate 1h -o x --blame", "--metrics="} {
		if _, err := parse(strings.Fields(args), io.Discard); cli.Report("", err, io.Discard) != cli.ExitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The last reading by HTTP has what run.json has.
func TestMetricsOfAProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := child(t, "--metrics", "127.0.0.1:0", "-n", "1000", "-o", dir, "--name", "n")
	cmd.Stderr = nil
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url, last string
	if _, err := fmt.Fscanf(said, "sigwait: metrics at %s\n", &url); err != nil {
		t.Fatal(err)
	}
	for {
		r, err := http.Get(url)
		if err != nil {
			break // the run is over
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			break
		}
		last = string(b)
		time.Sleep(2 * time.Second) // the run then waits for twice that: a busy machine may be late
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("siglat_latency_seconds_count %d\n", rec.Latency.Count),
		fmt.Sprintf("siglat_latency_worst_seconds %v\n", float64(rec.Latency.Max)/1e9),
		fmt.Sprintf("siglat_signals_sent_total %d\n", rec.Counts.Sent),
		fmt.Sprintf("siglat_signals_received_total %d\n", rec.Counts.Received),
		fmt.Sprintf(`kernel="%s"`, rec.Host.Kernel), `source="user"`, `name="n"`, `period="5ms"`,
	} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in\n%s", want, last)
		}
	}
}
