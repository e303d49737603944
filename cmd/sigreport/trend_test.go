// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"siglat/analysis/recording"
)

// farm writes 40 daily runs of a host, from the 25th on with another kernel
// and half as long again, and a broken one.
func farm(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 40 {
		start := time.Date(2026, 8, 1+i, 3, 0, 0, 0, time.UTC)
		w, err := recording.Create(recording.Options{Dir: filepath.Join(dir, fmt.Sprintf("run%02d", i)), Start: start})
		if err != nil {
			t.Fatal(err)
		}
		kernel, scale := "6.12.1", int64(100)
		if i >= 24 {
			kernel, scale = "6.12.2", 150
		}
		for j := range int64(200) {
			w.Record(recording.SegmentLatency, scale*(50+j%10+int64(i%7)))
		}
		run := &recording.Run{Start: start, Complete: true, Host: recording.Host{Hostname: "mill\x1b[31m", Kernel: kernel}, Config: recording.Config{Source: "kernel"}}
		run.Counts.Sent, run.Counts.Received = 200, 200
		if err := w.Finish(run); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "run07", recording.RunFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTrend(t *testing.T) {
	dir := farm(t)
	picture := filepath.Join(t.TempDir(), "ridge.png")
	var out, errText bytes.Buffer
	code := run(context.Background(), []string{"trend", dir, "--fail-on", "regression", "-o", picture}, nil, &out, &errText)
	want := "p99 rose by 51 %, from 6100 to 9150 ns, with kernel 6.12.2 on host mill?[31m (kernel), first seen on 2026-08-25 in " + filepath.Join(dir, "run24") + ", confidence 99.9"
	if code != 3 || !strings.Contains(out.String(), "with kernel 6.12.2 on host mill?[31m (kernel), first seen on 2026-08-25 in "+filepath.Join(dir, "run24")+", confidence 99.9") {
		t.Errorf("code %d; %s\nwant %s", code, &out, want)
	}
	if s := errText.String(); !strings.Contains(s, "left out: ") || !strings.Contains(s, "run07") || !strings.HasSuffix(s, "sigreport: p99 is higher than before in 1 series\n") {
		t.Errorf("stderr: %s", s)
	}
	if fi, err := os.Stat(picture); err != nil || fi.Size() < 10_000 {
		t.Errorf("picture: %v, %v", fi, err)
	}
	out.Reset()
	code = run(context.Background(), []string{"trend", dir, "--json"}, nil, &out, io.Discard)
	var j struct {
		Series []struct{ Runs int }
		Days   []struct {
			Max int64 `json:"max_ns"`
		} `json:"worst_per_day"`
		Changes []struct {
			Factor float64
			Kernel string
			Stands bool
		}
		Left []string `json:"left_out"`

		Version int `json:"version"`
	}
	if err := json.Unmarshal(out.Bytes(), &j); err != nil || code != 0 || j.Version != 1 || len(j.Series) != 2 || len(j.Days) != 39 || len(j.Left) != 1 ||
		len(j.Changes) != 1 || j.Changes[0].Factor < 1.4 || j.Changes[0].Factor > 1.6 || j.Changes[0].Kernel != "6.12.2" || !j.Changes[0].Stands {
		t.Errorf("code %d, %v: %s", code, err, &out)
	}
	checkRun(t, []string{"trend", dir, "--figure", "max", "--least", "90"}, io.Discard, 0, "sigreport: left out: "+j.Left[0]+"\n")
}

func TestTrendErrors(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"trend"}, 2, "0 inputs: want one, the folder of the runs (try sigreport trend --help)"},
		{[]string{"trend", "a", "b"}, 2, "2 inputs: want one, the folder of the runs (try sigreport trend --help)"},
		{[]string{"trend", empty, "--figure", "p98"}, 2, `--figure "p98": want one of p50, p99, max`},
		{[]string{"trend", empty, "--least", "0"}, 2, "--least wants percents above 0, --level a probability between 0 and 1"},
		{[]string{"trend", empty, "--fail-on", "rain"}, 2, `--fail-on "rain": want regression`},
		{[]string{"trend", empty, "-o", "x.jpg"}, 2, "output x.jpg: end the name with .png, .svg or .pdf"},
		{[]string{"trend", empty}, 1, "trend " + empty + ": no runs with latencies"},
		{[]string{"trend", filepath.Join(empty, "x")}, 1, "find runs: lstat " + filepath.Join(empty, "x") + ": no such file or directory"},
		{[]string{"trend", "prometheus://127.0.0.1:1"}, 1, "ask prometheus://127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused"},
	} {
		checkRun(t, c.args, io.Discard, c.code, "sigreport: "+c.want+"\n")
	}
}

func TestSureness(t *testing.T) {
	for p, want := range map[float64]string{0.01: "99", 0.0004: "99.96", 1e-6: "99.9999", 1e-20: "99.999999", 0: "99.999999"} {
		if got := sureness(p); got != want {
			t.Errorf("%g: %s, want %s", p, got, want)
		}
	}
}
