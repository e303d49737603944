// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// Every format has a target of its own. Its seeds are the cases that it
// recognises, cut in the middle where they are long, and what is exported.

func FuzzRaw(f *testing.F)         { fuzz(f, "raw") }
func FuzzRawCSV(f *testing.F)      { fuzz(f, "raw-csv") }
func FuzzHlog(f *testing.F)        { fuzz(f, "hlog") }
func FuzzJSON(f *testing.F)        { fuzz(f, "json") }
func FuzzCSV(f *testing.F)         { fuzz(f, "csv") }
func FuzzGnuplot(f *testing.F)     { fuzz(f, "gnuplot") }
func FuzzRTLA(f *testing.F)        { fuzz(f, "rtla") }
func FuzzXenoText(f *testing.F)    { fuzz(f, "xenomai-text") }
func FuzzXenomai(f *testing.F)     { fuzz(f, "xenomai") }
func FuzzLatmus(f *testing.F)      { fuzz(f, "latmus") }
func FuzzLatencyHist(f *testing.F) { fuzz(f, "latency-hist") }
func FuzzMaxLatency(f *testing.F)  { fuzz(f, "latency-max") }
func FuzzCyclictest(f *testing.F)  { fuzz(f, "cyclictest") }
func FuzzPlainText(f *testing.F)   { fuzz(f, "plain") }

// seeds returns the texts that are recognised as a format.
func seeds(t testing.TB, name string) [][]byte {
	var all [][]byte
	take := func(text []byte) {
		head := text[:min(len(text), peekSize)]
		for _, f := range formats {
			if f.sniff(head) {
				if f.name == name {
					all = append(all, text)
				}
				return
			}
		}
	}
	files, _ := filepath.Glob("testdata/[cf]*/*")
	for _, path := range files {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() {
			continue // what a target has found
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		take(text)
	}
	for _, c := range texts {
		take([]byte(c.text))
	}
	for _, form := range export.Formats {
		var out bytes.Buffer
		if err := form.Write(&out, exported(t)); err != nil {
			t.Fatal(err)
		}
		take(out.Bytes())
	}
	var log bytes.Buffer
	if err := recording.WriteLog(&log, []*recording.Recording{spread("a", 1), spread("b", 2)}); err != nil {
		t.Fatal(err)
	}
	take(log.Bytes())
	take([]byte("1\n22\n-333\n\n+4444\r\n"))
	if len(all) == 0 {
		t.Fatalf("no seed for %s", name)
	}
	return all
}

// TestEveryFormatIsFuzzed keeps the list of targets whole.
func TestEveryFormatIsFuzzed(t *testing.T) {
	text, err := os.ReadFile("fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		if !strings.Contains(string(text), `{ fuzz(f, "`+f.name+`") }`) {
			t.Errorf("format %s has no fuzz target", f.name)
		}
		seeds(t, f.name)
	}
}

func fuzz(f *testing.F, name string) {
	for _, text := range seeds(f, name) {
		if len(text) > 6000 && name != "hlog" {
			text = append(text[:2000:2000], text[len(text)-2000:]...)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := Reader{Stdin: bytes.NewReader(text), Format: name}
		recs, err := r.Open([]string{"-"})
		if err != nil {
			if !placed.MatchString(err.Error()) {
				t.Fatalf("error without file and line: %v", err)
			}
			return
		}
		for _, rec := range recs {
			d, l := rec.Latencies(), rec.Latency
			if d != nil && (d.Count() != l.Count || l.P50 > l.P9999 || l.P9999 > l.Max && rec.Import == nil) {
				t.Fatalf("%s: %d values in classes, %+v", rec.Name, d.Count(), l)
			}
			inside := uint64(0)
			for b := range rec.Inside() {
				inside += b.Count
			}
			if i := rec.Import; d != nil && i != nil && inside+i.Overflow != l.Count {
				t.Fatalf("%s: %d values in classes, %d above, %d in all", rec.Name, inside, i.Overflow, l.Count)
			}
		}
	})
}
