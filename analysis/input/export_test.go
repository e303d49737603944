// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"siglat/analysis"
	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// rows returns the histogram of rec in rows of 1000 ns from low to high.
func rows(t testing.TB, rec *recording.Recording, low, high int64) *analysis.Linear {
	t.Helper()
	l, err := analysis.NewLinear(low, high, int(high-low)/1000)
	if err != nil {
		t.Fatal(err)
	}
	for b := range rec.Inside() {
		l.AddBucket(b)
	}
	if rec.Import != nil {
		l.AddOver(rec.Import.Overflow)
	}
	return l
}

func sameRows(a, b *analysis.Linear) bool {
	if a.Under() != b.Under() || a.Over() != b.Over() || a.Bins() != b.Bins() {
		return false
	}
	var x, y []analysis.Row
	for r := range a.Rows() {
		x = append(x, r)
	}
	for r := range b.Rows() {
		y = append(y, r)
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// spread returns values below, within and above rows from 0 to 300000 ns.
func spread(name string, seed uint64) *recording.Recording {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := analysis.NewDistribution()
	for range 5000 {
		d.Record(rng.Int64N(1<<rng.IntN(20)+1) - 40)
	}
	rec := &recording.Recording{Path: name, Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d}}
	rec.Name, rec.Latency = name, d.Summary()
	return rec
}

// TestExports reads back what is exported: counts, also of what lies below
// and above, and the exact figures stay.
func TestExports(t *testing.T) {
	sources := [][]*recording.Recording{{spread("one", 1)}, {spread("a b", 2), spread(`c"d,e`, 3)}}
	for _, file := range []string{"cyclictest-h400-t2.txt", "cyclictest-h200.json", "jitterdebugger-results.json", "rtla-timerlat-hist.txt", "osadl-style-plot.txt", "xenomai-latency-g.txt", "oslat.json"} {
		recs, err := Open([]string{filepath.Join("testdata", "cases", file)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, recs)
	}
	for _, f := range export.Formats {
		for _, recs := range sources {
			low := int64(0)
			if f.Name == "cyclictest" && recs[0].Import == nil {
				continue // values below 0, see TestExportErrors
			}
			var hs []export.Histogram
			for _, r := range recs {
				hs = append(hs, export.Of(r, rows(t, r, low, 300_000)))
			}
			var out bytes.Buffer
			if err := f.Write(&out, hs); err != nil {
				t.Errorf("%s of %s: %v", f.Name, recs[0].Name, err)
				continue
			}
			back, err := Open([]string{"-"}, &out)
			if err != nil || len(back) != len(recs) {
				t.Errorf("%s of %s: %v, %d recordings", f.Name, recs[0].Name, err, len(back))
				continue
			}
			for i, r := range back {
				checkBack(t, f.Name, hs[i], r, low)
			}
		}
	}
}

func checkBack(t *testing.T, format string, h export.Histogram, back *recording.Recording, low int64) {
	t.Helper()
	if got := rows(t, back, low, 300_000); !sameRows(got, h.Rows) {
		t.Errorf("%s of %s: rows differ, %d under, %d over, %d in all; want %d, %d, %d", format, h.Name,
			got.Under(), got.Over(), got.Count(), h.Rows.Under(), h.Rows.Over(), h.Rows.Count())
	}
	got, want := back.Latency, h.Latency
	unit := int64(1)
	if format == "cyclictest" {
		unit = 1000
	} else if sameFloat := got.Mean == want.Mean && (got.Stddev == want.Stddev || want.Stddev != want.Stddev); !sameFloat {
		t.Errorf("%s of %s: mean %v stddev %v, want %v %v", format, h.Name, got.Mean, got.Stddev, want.Mean, want.Stddev)
	}
	if got.Count != want.Count || h.OverOpen != back.Import.OverflowOpen || !h.OverOpen && (got.Min != want.Min/unit*unit || got.Max != want.Max/unit*unit) {
		t.Errorf("%s of %s: %+v, want %+v", format, h.Name, got, want)
	}
}

func TestExportErrors(t *testing.T) {
	below := spread("below", 1)
	for _, c := range []struct {
		recs []*recording.Recording
		form string
		want string
	}{
		{[]*recording.Recording{below}, "cyclictest", "values of below lie below 0 ns, which cyclictest's form cannot tell"},
		{[]*recording.Recording{below, below}, "csv", `two inputs are named "below": rename one`},
		{[]*recording.Recording{below, below}, "gnuplot", `two inputs are named "below": rename one`},
	} {
		for _, f := range export.Formats {
			if f.Name != c.form {
				continue
			}
			var hs []export.Histogram
			for _, r := range c.recs {
				hs = append(hs, export.Of(r, rows(t, r, 0, 300_000)))
			}
			if err := f.Write(&bytes.Buffer{}, hs); err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", f.Name, err, c.want)
			}
		}
	}
	narrow, _ := analysis.NewLinear(0, 100, 10)
	if err := export.Cyclictest(&bytes.Buffer{}, []export.Histogram{{Rows: narrow}}); err == nil {
		t.Error("cyclictest's form with classes of 10 ns: no error")
	}
}

// TestImports reads run directories made of the cases: all figures stay.
func TestImports(t *testing.T) {
	files, _ := filepath.Glob("testdata/cases/*")
	for _, file := range files {
		recs, err := Open([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			dir := filepath.Join(t.TempDir(), "run")
			if err := recording.WriteImport(dir, r, "test"); err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			back, err := Open([]string{dir}, nil)
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			b := back[0]
			if figures(b) != figures(r) || b.HasRun || b.Import.Format != r.Import.Format || b.Import.File != file ||
				strings.Join(b.Warnings, "\n") != strings.Join(r.Warnings, "\n") || b.HasQuantiles() != r.HasQuantiles() || b.Latency.P999 != r.Latency.P999 {
				t.Errorf("%s: %s %+v, want %s", r.Name, figures(b), b.Import, figures(r))
			}
			if d := r.Latencies(); d != nil && !b.Latencies().Equal(d) {
				t.Errorf("%s: distribution differs", r.Name)
			}
			if err := recording.WriteImport(dir, r, "test"); err == nil {
				t.Errorf("%s: a second import into the same directory", r.Name)
			}
		}
	}
}

// exported returns two histograms of values up to 300000 ns.
func exported(t testing.TB) []export.Histogram {
	var hs []export.Histogram
	for i, name := range []string{"a", "b"} {
		d := analysis.NewDistribution()
		for v := range int64(400) {
			d.Record(v * v * int64(i+1))
		}
		rec := &recording.Recording{Dist: map[string]*analysis.Distribution{recording.SegmentLatency: d}}
		rec.Name, rec.Latency = name, d.Summary()
		hs = append(hs, export.Of(rec, rows(t, rec, 0, 100_000)))
	}
	return hs
}
