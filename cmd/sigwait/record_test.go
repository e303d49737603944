// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"siglat/analysis/recording"
	"siglat/sigwait"
)

func TestLinesOnly(t *testing.T) {
	var out strings.Builder
	said, err := runFake(t, context.Background(), &fake{latencies: []int64{5, 7, -1, 0}}, &out)
	if err != nil || out.String() != "5\n7\n0\n" || said != "sigwait: warning: 1 signal without a valid latency, in no figure: it took half a second or more, above any maximum told (--segments measures it), or the clock was set\n" {
		t.Errorf("%q, %q, %v", out.String(), said, err)
	}
}

func TestRunDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := &fake{latencies: steps(500), batch: 50, change: func(r *sigwait.Result) {
		r.Counts.Sent, r.Counts.Lost, r.Counts.Refused = 503, 3, 2
		r.Warnings = []string{"from the library"}
	}}
	f.latencies[17] = 1_000_000
	var out bytes.Buffer
	said, err := runFake(t, context.Background(), f, &out, "-o", dir, "--samples", "--cpu", "0", "--timer-cpu", "0", "--fifo", "40", "-n", "500")
	if err != nil {
		t.Fatal(err)
	}
	if want := "sigwait: warning: 3 of 503 signals lost\nsigwait: warning: 2 signals refused by the kernel: the queue was full (RLIMIT_SIGPENDING, ulimit -i)\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	samples, err := os.ReadFile(filepath.Join(dir, recording.SamplesFile))
	if err != nil || !bytes.Equal(samples, out.Bytes()) || bytes.Count(samples, []byte("\n")) != 500 {
		t.Errorf("%s holds %d bytes, standard output %d, %v", recording.SamplesFile, len(samples), out.Len(), err)
	}
	rec, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := rec.Dist[recording.SegmentLatency]; d.Count() != 500 || d.Max() != 1_000_000 {
		t.Errorf("recorded %d, maximum %d", d.Count(), d.Max())
	}
	r := rec.Run
	if r.Name != "run" || !r.Complete || r.Config.CPU != 0 || r.Config.Priority != 40 || r.Config.Count != 500 || r.Tool == "" || r.Host.Kernel == "" || r.Clock != "real" || r.Start.IsZero() || r.ElapsedNS <= 0 {
		t.Errorf("%+v", r)
	}
	if e := r.Effective; e.Placement != "other" || e.Policy != "fifo" || e.Priority != 40 || e.Receiver != "sigwait" || !e.MemLocked {
		t.Errorf("%+v", e)
	}
	if len(r.Worst) != 10 || r.Worst[0].Seq != 17 || !slices.IsSortedFunc(r.Worst, func(a, b recording.Sample) int { return int(b.LatencyNS - a.LatencyNS) }) {
		t.Errorf("worst: %+v", r.Worst)
	}
	if w := r.Worst[0].ReceivedNS - 17*int64(time.Millisecond); w < 0 || w > r.ElapsedNS {
		t.Errorf("worst received %d ns into the run of %d ns", r.Worst[0].ReceivedNS, r.ElapsedNS)
	}
	if !slices.Contains(r.Warnings, "from the library") || !slices.Contains(r.Warnings, "3 of 503 signals lost") {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	said, err := runFake(t, context.Background(), &fake{latencies: []int64{-1}}, &out, "--json", "--name", "n")
	if err != nil || said != "" {
		t.Fatal(said, err)
	}
	var run recording.Run
	if err := json.Unmarshal(out.Bytes(), &run); err != nil || run.Name != "n" || run.Counts.Received != 1 || run.Version != recording.Version {
		t.Errorf("%+v, %v", run, err)
	}
	if bytes.Contains(out.Bytes(), []byte("null")) {
		t.Errorf("null in %s", out.String())
	}
	dir := filepath.Join(t.TempDir(), "r")
	out.Reset()
	if _, err := runFake(t, context.Background(), &fake{latencies: steps(20)}, &out, "--json", "-o", dir); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(filepath.Join(dir, recording.RunFile)); err != nil || !bytes.Equal(file, out.Bytes()) {
		t.Errorf("printed %s\nwritten %s, %v", out.String(), file, err)
	}
}

func TestQuiet(t *testing.T) {
	var out strings.Builder
	said, err := runFake(t, context.Background(), &fake{latencies: []int64{1, -1}}, &out, "-q")
	if err != nil || said != "" || out.Len() > 0 {
		t.Errorf("%q, %q, %v", out.String(), said, err)
	}
}

func TestFailureBeforeTheFirstSignalLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := runFake(t, context.Background(), &fake{early: errBroken}, new(strings.Builder), "-o", dir)
	if !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory stays: %v", err)
	}
}

func TestFailureKeepsWhatWasReceived(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var out strings.Builder
	_, err := runFake(t, context.Background(), &fake{latencies: []int64{3, 4}, late: errBroken}, &out, "-o", dir)
	if !errors.Is(err, errBroken) || out.String() != "3\n4\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	rec, err := recording.Open(dir)
	if err != nil || rec.Complete || rec.Latency.Count != 2 || !slices.Contains(rec.Warnings, "the run failed: broken") {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestEndedEarly(t *testing.T) {
	for _, c := range []struct {
		args     string
		complete bool
	}{{"-n 1000", false}, {"-n 0", true}, {"-t 1h", false}, {"-n 1000 -t 50ms", true}, {"-t 50ms", true}} {
		ctx, cancel := context.WithCancel(context.Background())
		f := &fake{latencies: steps(1000), batch: 1, pause: 2 * time.Millisecond}
		if !strings.Contains(c.args, "50ms") {
			f.between = func(batch int) {
				if batch == 3 {
					cancel()
				}
			}
		}
		var out bytes.Buffer
		_, err := runFake(t, ctx, f, &out, append(strings.Fields(c.args), "--json")...)
		cancel()
		var run recording.Run
		if err := errors.Join(err, json.Unmarshal(out.Bytes(), &run)); err != nil || run.Complete != c.complete || run.Latency.Count == 0 || run.Latency.Count > 100 {
			t.Errorf("%s: %+v, %v", c.args, run, err)
		}
		if warned := strings.Contains(strings.Join(run.Warnings, ""), "ended early"); warned == c.complete {
			t.Errorf("%s: warnings %q", c.args, run.Warnings)
		}
	}
}

// failing fails from the given write on.
type failing struct {
	good int
	err  error
}

func (w *failing) Write(p []byte) (int, error) {
	if w.good--; w.good < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: w.err}
	}
	return len(p), nil
}

func TestOutputFails(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string // empty: no error
	}{
		{unix.ENOSPC, "write standard output: no space left on device"},
		{unix.EPIPE, ""},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		f := &fake{latencies: steps(1000), batch: 10}
		said, err := runFake(t, context.Background(), f, &failing{2, c.err}, "-o", dir)
		if (c.want == "") != (err == nil) || err != nil && err.Error() != c.want || said != "" {
			t.Errorf("%v: %q, %v", c.err, said, err)
		}
		rec, err := recording.Open(dir)
		if err != nil || rec.Complete || rec.Latency.Count != uint64(f.sent) || f.sent != 30 {
			t.Errorf("%v: %d signals, recorded %+v, %v", c.err, f.sent, rec, err)
		}
	}
	if _, err := runFake(t, context.Background(), &fake{latencies: steps(5)}, &failing{0, unix.ENOSPC}, "--json"); err == nil || err.Error() != "write standard output: no space left on device" {
		t.Errorf("JSON: %v", err)
	}
	checkRun(t, []string{"--help"}, &failing{0, unix.ENOSPC}, 1, "sigwait: write standard output: no space left on device\n")
	checkRun(t, []string{"--version"}, &failing{0, unix.ENOSPC}, 1, "sigwait: write standard output: no space left on device\n")
}

// A run directory that cannot be ended is an error that names the file, and
// what was printed says what was received nevertheless.
func TestDirectoryFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := &fake{latencies: steps(100), batch: 10, between: func(batch int) {
		if batch == 5 {
			if err := os.MkdirAll(filepath.Join(dir, recording.RunFile, "x"), 0o755); err != nil {
				t.Error(err)
			}
		}
	}}
	var out bytes.Buffer
	_, err := runFake(t, context.Background(), f, &out, "-o", dir, "--json")
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, recording.RunFile)) {
		t.Errorf("error %v", err)
	}
	var run recording.Run
	if err := json.Unmarshal(out.Bytes(), &run); err != nil || run.Latency.Count != 100 {
		t.Errorf("%+v, %v", run.Latency, err)
	}
}

func TestSameErrorIsSaidOnce(t *testing.T) {
	full := errors.New("write x: full")
	for _, c := range []struct {
		a, b error
		want string
	}{{full, errors.New("write x: full"), "write x: full"}, {nil, full, "write x: full"}, {full, nil, "write x: full"}, {full, errBroken, "write x: full\nbroken"}} {
		if got := joinNew(c.a, c.b); got == nil || got.Error() != c.want {
			t.Errorf("%v, %v: %v", c.a, c.b, got)
		}
	}
	if err := joinNew(nil, nil); err != nil {
		t.Error(err)
	}
}

func TestNoAllocationPerSample(t *testing.T) {
	o, err := parse([]string{"-o", filepath.Join(t.TempDir(), "run"), "--samples"}, new(strings.Builder))
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRecorder(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.writer, err = recording.Create(recording.Options{Dir: o.out, Samples: true}); err != nil {
		t.Fatal(err)
	}
	defer r.writer.Close()
	r.out, r.screen = newLines(io.Discard), newScreen(o, io.Discard, io.Discard)
	s := sigwait.Sample{Valid: true}
	each := func() {
		s.Seq++
		s.LatencyNS = 1000 + int64(s.Seq)
		r.sample(&s)
	}
	for range 3000 { // touches the histogram's classes
		each()
	}
	s.Seq = 0
	if n := testing.AllocsPerRun(2000, each); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
}
