// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// upTo returns the samples first, first+1 and so on, the last one first.
func upTo(first int64, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = first + int64(n-1-i)
	}
	return list
}

func TestQuantile(t *testing.T) {
	for _, x := range []struct {
		n    int
		q    float64
		want int64
	}{{1, 0.5, 1}, {1, 0.99, 1}, {2, 0.5, 1}, {3, 0.5, 2}, {300, 0.5, 150}, {300, 0.99, 297}, {100, 0.99, 99}} {
		if got := quantile(upTo(1, x.n), x.q); got != x.want {
			t.Errorf("quantile %v of 1..%d: %d, want %d", x.q, x.n, got, x.want)
		}
	}
}

func TestRowLine(t *testing.T) {
	r := row{cell: cell{"6.12", "sigwait", same, fifo}, inGo: upTo(901, 200), inC: upTo(1001, 200)}
	want := "bench: kernel=6.12 receiver=sigwait cpu=same policy=fifo40 go_p50=1000 c_p50=1100 ratio=0.9091 go_p99=1098 c_p99=1198"
	if got := r.line(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.inC = nil
	want = "bench: kernel=6.12 receiver=sigwait cpu=same policy=fifo40 go_p50=1000 c_p50=- ratio=- go_p99=1098 c_p99=-"
	if got := r.line(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestSummary(t *testing.T) {
	rows := []row{
		{inGo: []int64{50}, inC: []int64{100}},
		{inGo: []int64{100}, inC: []int64{100}},
		{inGo: []int64{7}},
	}
	s := summarise(rows)
	if s.Rows != 2 || s.Mean != 0.75 || s.Max != 1 || s.MeanP99 != 0.75 || s.MaxP99 != 1 || s.Exceeded != 0 {
		t.Errorf("%+v", s)
	}
	rows = append(rows, row{inGo: []int64{101}, inC: []int64{100}})
	if s := summarise(rows); s.Exceeded != 1 || s.Rows != 3 {
		t.Errorf("a median one percent above: %+v", s)
	}
	if s := summarise(nil); s.Rows != 0 || math.IsNaN(s.Mean) {
		t.Errorf("no rows: %+v", s)
	}
}

func TestCommands(t *testing.T) {
	c := cell{"6.12", "pause", other, fifo}
	if got, want := strings.Join(c.commandGo(c.parts(300)[0]), " "), "/bin/sigwait --source kernel --receiver pause --cpu 1 --timer-cpu 0 --period 100ms --count 305 --fifo 40"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := strings.Join(c.commandC(c.parts(300)[0]), " "), "/bin/receiver pause 1 0 40 100000000 305"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	c = cell{"6.12", "busy", same, other}
	if got, want := strings.Join(c.commandC(c.parts(300)[1]), " "), "/bin/receiver busy 0 0 0 494444 205"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := strings.Join(c.commandGo(c.parts(300)[23]), " "); !strings.HasSuffix(got, "--cpu 0 --timer-cpu 0 --period 494.818µs --count 205 --other") {
		t.Error(got)
	}
}

func TestSamples(t *testing.T) {
	for text, want := range map[string]string{
		"5\n6\n":     "",
		"5\n":        "6 samples, want 7: said",
		"5\n6\n7\n":  "8 samples, want 7",
		"5\nx\n":     `sample 7 is "x"`,
		"5\n-1\n":    `sample 7 is "-1"`,
		"0\n1\n":     `sample 6 is "0"`,
		"5\n1.5e3\n": `sample 7 is "1.5e3"`,
	} {
		text = strings.Repeat("9\n", settling) + text
		got, err := outcome{Stdout: text, Stderr: "said\n"}.samples(2)
		if want == "" && (err != nil || !slices.Equal(got, []int64{5, 6})) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || got != nil) {
			t.Errorf("%q: %v, error %v, want %s", text, got, err, want)
		}
	}
	if _, err := (outcome{}).samples(2); err == nil || !strings.HasPrefix(err.Error(), "0 samples, want 7") {
		t.Errorf("nothing: %v", err)
	}
	_, err := outcome{Stdout: "5\n6\n", Stderr: "no device\n", Exit: 1}.samples(2)
	if err == nil || err.Error() != "exit status 1: no device" {
		t.Errorf("a failed command: %v", err)
	}
}

// What a list of commands in the guest gives comes back through decode.
func TestGuest(t *testing.T) {
	var out bytes.Buffer
	err := inGuest(`[{"args":["/bin/echo","5"]},{"args":["/bin/sh","-c","echo no >&2; exit 3"]}]`, &out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(&out)
	want := []outcome{{Stdout: "5\n"}, {Stderr: "no\n", Exit: 3}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := inGuest(`[{"args":["/nothing/here"]}]`, &out); err == nil {
		t.Error("a program that is not there gives no error")
	}
	if _, err := decode(bytes.NewBufferString(`{"exit":0}{"ex`)); err == nil {
		t.Error("half an outcome gives no error")
	}
}

// fakeLab stands in for siglab: it tells what it would run, or gives canned
// outcomes.
func fakeLab(t *testing.T, script string) programs {
	t.Helper()
	path := filepath.Join(t.TempDir(), "siglab")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return programs{siglab: path, sigwait: "sigwait", receiver: "receiver", self: "bench"}
}

func TestMeasure(t *testing.T) {
	var text strings.Builder
	for i := range 8 * phases { // each of four cells in Go and in C
		inC := i % 2
		o, err := json.Marshal(outcome{Stdout: strings.Repeat("9\n", settling) + strconv.Itoa(2*(i/2/phases)+inC+1) + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(o)
	}
	script := "cat <<'END'\n" + text.String() + "\nEND\n"
	p := fakeLab(t, script)
	rows, err := p.measure(context.Background(), "6.12", []string{"busy"}, []string{"busy"}, 1)
	if err != nil || len(rows) != 4 || rows[3].inGo[23] != 7 || rows[3].inC[23] != 8 {
		t.Errorf("%+v, %v", rows, err)
	}
	_, err = p.measure(context.Background(), "6.12", []string{"busy", "pause"}, []string{"busy"}, 1)
	if err == nil || !strings.Contains(err.Error(), "192 outcomes of 196 measurements") {
		t.Errorf("missing outcomes: %v", err)
	}
	rows, err = p.measure(context.Background(), "6.12", []string{"busy"}, []string{"busy"}, 3)
	if err == nil || !strings.Contains(err.Error(), "kernel=6.12 receiver=busy cpu=other policy=fifo40 in C: 6 samples, want 7") || len(rows) != 4 {
		t.Errorf("short measurements: %d rows, %v", len(rows), err)
	}
	rows, err = fakeLab(t, script+"echo panic >&2; exit 1").measure(context.Background(), "6.12", []string{"busy"}, []string{"busy"}, 1)
	if err == nil || !strings.Contains(err.Error(), "exit status 1: panic") || len(rows) != 4 {
		t.Errorf("a guest that ends badly: %d rows, %v", len(rows), err)
	}
}

func TestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	rows := []row{
		{cell{"6.12", "busy", same, fifo}, []int64{3, 1, 2}, []int64{4, 4, 4}},
		{cell{"6.12", "read", same, other}, []int64{9}, nil},
	}
	if err := writeJSON(path, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Rows []jsonRow }
	if err := json.Unmarshal(text, &got); err != nil || len(got.Rows) != 2 {
		t.Fatalf("%v in %s", err, text)
	}
	a, b := got.Rows[0], got.Rows[1]
	if a.Policy != fifo || *a.Go != (figures{3, 1, 2, 3, 3}) || *a.Ratio != 0.5 || *a.RatioP99 != 0.75 {
		t.Errorf("%s", text)
	}
	if b.C != nil || b.Ratio != nil || b.Go.P50 != 9 {
		t.Errorf("%s", text)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--count", "99"}, {"--receivers", ""}, {"--no-such-flag"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	o, err := parse(nil)
	if err != nil || o.count < 300 || len(o.receivers) < 1 || !slices.Equal(o.kernels, []string{"6.12", "6.12-rt"}) {
		t.Errorf("%+v, %v", o, err)
	}
}
