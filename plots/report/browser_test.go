// SPDX-License-Identifier: GPL-2.0-only

//go:build browser

package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"siglat/analysis/recording"
)

// written writes a report to a file.
func written(t testing.TB, runs []*recording.Recording) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, runs, Options{Title: "Signal latency", Tool: "sigreport (test)"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// recorded returns the runs of the article as directories, with intervals and
// the parts of the way, and some that are unusual.
func recorded(t testing.TB) []*recording.Recording {
	t.Helper()
	var out []*recording.Recording
	for _, r := range article() {
		dir := filepath.Join(t.TempDir(), r.Name)
		w, err := recording.Create(recording.Options{Dir: dir, Start: r.Start})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for b := range r.Latencies().Buckets() {
			for range b.Count {
				w.Record(recording.SegmentLatency, b.Low)
				w.Record(recording.SegmentTimer, 700+int64(n%300))
				w.Record(recording.SegmentModule, 240)
				if n++; n%50 == 0 {
					if err := w.Interval(time.Duration(n/50-1)*time.Second, time.Duration(n/50)*time.Second); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		run := r.Run
		if err := w.Finish(&run); err != nil {
			t.Fatal(err)
		}
		read, err := recording.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, read)
	}
	out[1].Counts.Lost = 3
	out[2].Warnings = []string{"governor is powersave"}
	return append(out, mixture()[5:]...)
}

func TestPageInBrowser(t *testing.T) {
	few, many := written(t, recorded(t)), written(t, years(730))
	b := startBrowser(t)
	for _, c := range []struct {
		name, path, scheme string
		width, height      int
	}{
		{"report-1400-light", few, "light", 1400, 7000}, {"report-1400-dark", few, "dark", 1400, 2500},
		{"report-400-light", few, "light", 400, 7000}, {"report-400-dark", few, "dark", 400, 2000},
		{"years-1400-light", many, "light", 1400, 3000}, {"years-400-dark", many, "dark", 400, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t, b.said = t, nil
			b.open(c.path, c.width, 900, c.scheme)
			var wide []string
			b.eval(`(() => {
				const d = document.documentElement, out = [];
				if (d.scrollWidth > innerWidth) out.push("page: " + d.scrollWidth);
				return out;
			})()`, &wide)
			if len(wide) > 0 {
				t.Errorf("wider than %d: %s", c.width, wide)
			}
			if len(b.said) > 0 {
				t.Errorf("the console says %s", b.said)
			}
			b.screenshot(c.name+".png", c.width, c.height)
		})
	}
}

// column returns the first cells of the table of runs, and what the headings
// say of the order.
func (b *browser) column() (names []string, order string) {
	b.t.Helper()
	var got struct {
		Names []string
		Order string
	}
	b.eval(`({Names: [...document.querySelector("table.runs").tBodies[0].rows].map(r => r.cells[0].textContent),
		Order: [...document.querySelectorAll("table.runs th[aria-sort]")].map(h => h.textContent + " " + h.getAttribute("aria-sort")).join()})`, &got)
	return got.Names, got.Order
}

func TestSortingInBrowser(t *testing.T) {
	b := startBrowser(t)
	b.open(written(t, article()), 1400, 900, "light")
	given, order := b.column()
	if order != "" || given[0] != "blocked-other" {
		t.Fatalf("before a click: %q, %q", given, order)
	}
	click := func(heading string) {
		b.eval(fmt.Sprintf(`[...document.querySelectorAll("table.runs th button")].find(b => b.textContent === %q).click()`, heading), nil)
	}
	want := []string{"busy-same-fifo", "busy-other", "blocked-same-fifo", "blocked-same", "blocked-other"}
	click("p50")
	if got, order := b.column(); !slices.Equal(got, want) || order != "p50 ascending" {
		t.Errorf("by p50: %q, %q", got, order)
	}
	slices.Reverse(want)
	click("p50")
	if got, order := b.column(); !slices.Equal(got, want) || order != "p50 descending" {
		t.Errorf("by p50 again: %q, %q", got, order)
	}
	click("run")
	slices.Sort(want)
	if got, order := b.column(); !slices.Equal(got, want) || order != "run ascending" {
		t.Errorf("by run: %q, %q", got, order)
	}
	click("period") // 5 ms before 100 ms
	if got, _ := b.column(); !strings.HasPrefix(got[0], "busy") || !strings.HasPrefix(got[4], "blocked") {
		t.Errorf("by period: %q", got)
	}
}

func TestZoomInBrowser(t *testing.T) {
	b := startBrowser(t)
	b.open(written(t, article()), 1400, 900, "light")
	var open bool
	b.eval(`document.querySelector("figure .enlarge").click(); document.querySelector("dialog").open`, &open)
	if !open {
		t.Error("the picture is not enlarged")
	}
	b.screenshot("zoom-1400.png", 1400, 900)
	var widths []float64
	b.eval(`(() => {
		const d = document.querySelector("dialog"), w = () => Number(d.querySelector("svg").getAttribute("viewBox").split(" ")[2]);
		const out = [w()];
		for (const key of ["+", "+", "-", "0"]) { d.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true})); out.push(w()); }
		d.querySelector("button[aria-label=Close]").click();
		return out;
	})()`, &widths)
	if !(widths[1] < widths[0] && widths[2] < widths[1] && widths[3] > widths[2] && widths[4] == widths[0]) {
		t.Errorf("widths of the view after +, +, -, 0: %v", widths)
	}
	b.eval(`document.querySelector("dialog").open`, &open)
	if open {
		t.Error("the enlarged picture does not close")
	}
	if len(b.said) > 0 {
		t.Errorf("the console says %s", b.said)
	}
}

// BenchmarkOpen shows how long a report of two years takes to open, in
// percent of the 3 seconds that it may take.
func BenchmarkOpen(b *testing.B) {
	const limit = 3 * time.Second
	path := written(b, years(730))
	if fi, err := os.Stat(path); err == nil {
		b.ReportMetric(float64(fi.Size())/1e6, "MB")
	}
	br := startBrowser(b)
	br.open("/dev/null", 1400, 900, "light")
	for b.Loop() {
		br.open(path, 1400, 900, "light")
	}
	b.ReportMetric(100*float64(b.Elapsed())/float64(b.N)/float64(limit), "%of3s")
}
