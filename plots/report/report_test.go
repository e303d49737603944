// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/plots"
)

var update = flag.Bool("update", false, "write the golden page instead of comparing with it")

func write(t *testing.T, runs []*recording.Recording, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, runs, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	svgElement    = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	styleElement  = regexp.MustCompile(`(?s)<style>.*?</style>`)
	scriptElement = regexp.MustCompile(`(?s)<script>.*?</script>`)
	drawn         = regexp.MustCompile(`(?s)</desc>.*</svg>`)
)

// The page without its style, its script and the insides of its pictures, which have
// tests of their own.
func TestGolden(t *testing.T) {
	runs := article()
	runs[2].Counts.Lost, runs[2].Counts.Received = 3, 997
	runs[3].Warnings = []string{"governor is powersave"}
	page := write(t, runs, Options{Tool: "sigreport (test)"})
	page = styleElement.ReplaceAllString(page, "<style></style>")
	page = scriptElement.ReplaceAllString(page, "<script></script>")
	page = regexp.MustCompile(`sha256-[^']*`).ReplaceAllString(page, "sha256-…")
	page = svgElement.ReplaceAllStringFunc(page, func(s string) string { return drawn.ReplaceAllString(s, "</desc></svg>") })
	path := filepath.Join("testdata", "article.html")
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if page == string(want) {
		return
	}
	got, exp := strings.Split(page, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(exp)) {
		if got[i] != exp[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s\n(go test -update accepts it)", i+1, got[i], exp[i])
		}
	}
	t.Fatalf("page has %d lines, want %d", len(got), len(exp))
}

// mixture is a set of runs with everything that is unusual.
func mixture() []*recording.Recording {
	runs := article()
	runs[0].Complete = false
	runs[1].Clock, runs[1].Host.Hostname = "real", `<b>"host"&`
	runs = append(runs,
		lab(`<script>alert("1")</script>`, "same", "rr", "pause", 5, 6000),
		&recording.Recording{Run: recording.Run{Name: "imported", Warnings: []string{"<i>thin</i>"}},
			Dist: map[string]*analysis.Distribution{recording.SegmentLatency: analysis.NewDistribution()}},
		&recording.Recording{Run: recording.Run{Name: "nothing"}},
		&recording.Recording{Run: recording.Run{Name: ""}, HasRun: true})
	runs[6].Dist[recording.SegmentLatency].Record(-5)
	runs[5].Command = []string{"sigwait", "--name", "<script>"}
	return runs
}

// voidTags have no end in HTML.
var voidTags = map[string]bool{"meta": true, "br": true}

var tag = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>"]|"[^"]*")*?)(/?)>`)

// Every element ends, in order; ids are unique, links lead somewhere, labels
// exist.
func TestWellFormed(t *testing.T) {
	page := write(t, mixture(), Options{BudgetNS: 8000})
	page = scriptElement.ReplaceAllString(styleElement.ReplaceAllString(page, ""), "")
	var open []string
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		name := m[2]
		switch {
		case m[4] == "/" || voidTags[name]:
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> ends %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) != 0 {
		t.Errorf("without end: %v", open)
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("id %q twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("link to #%s, which is not there", m[1])
		}
	}
	for _, m := range regexp.MustCompile(` aria-labelledby="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(m[1]) {
			if !ids[id] {
				t.Errorf("label %s is not there", id)
			}
		}
	}
}

// Pictures are well-formed, small, named and described, and coloured by the
// style sheet alone.
func TestPictures(t *testing.T) {
	runs := mixture()
	runs = append(runs, wide())
	pictures := svgElement.FindAllString(write(t, runs, Options{}), -1)
	want := len(runs) + 4 // of all: ridge, overlay, box, ccdf
	for _, r := range runs {
		if _, ok := plots.BreakdownOf(r); ok {
			want++
		}
	}
	if len(pictures) != want {
		t.Fatalf("%d pictures for %d runs, want %d", len(pictures), len(runs), want)
	}
	for _, s := range pictures {
		if len(s) > 60_000 {
			t.Errorf("picture of %d bytes, want at most 60000: %.200s", len(s), s)
		}
		d := xml.NewDecoder(strings.NewReader(s))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("picture is no XML: %v: %.200s", err, s)
			}
		}
		for _, want := range []string{`role="img"`, "<title ", "<desc "} {
			if !strings.Contains(s, want) {
				t.Errorf("picture without %s: %.200s", want, s)
			}
		}
		if m := regexp.MustCompile(`(fill|stroke):#[0-9A-F]+`).FindString(s); m != "" {
			t.Errorf("picture has the fixed colour %s", m)
		}
	}
	for _, name := range regexp.MustCompile(`var\(--[a-z0-9]+\)`).FindAllString(strings.Join(pictures, ""), -1) {
		if !strings.Contains(styleText, strings.TrimSuffix(strings.TrimPrefix(name, "var("), ")")+":") {
			t.Errorf("the style sheet does not know %s", name)
		}
	}
}

// wide returns a run whose samples are spread over ten decades.
func wide() *recording.Recording {
	r := lab("wide", "same", "other", "sigwait", 1, 5000)
	d := r.Dist[recording.SegmentLatency]
	for v := int64(3); v < 1e12; v += v/40 + 1 {
		d.RecordN(v, uint64(1e12/v))
	}
	r.Latency = d.Summary()
	return r
}

// Nothing is loaded from anywhere, and no name becomes markup.
func TestSelfContained(t *testing.T) {
	page := write(t, mixture(), Options{Title: "<u>Title</u>", Tool: "<u>tool</u>"})
	if n := len(scriptElement.FindAllString(page, -1)); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	page = scriptElement.ReplaceAllString(page, "")
	for _, bad := range []string{"http:", "https:", "<script", "<link", "<img", "<iframe", "<object", "@import", "url(", "xlink:", "javascript:", "<b>", "<i>", "<u>"} {
		if strings.Contains(strings.ToLower(page), bad) {
			t.Errorf("page contains %s", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;alert(", "&lt;u&gt;Title&lt;/u&gt;", "default-src &#39;none&#39;"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("page lacks %s", want)
		}
	}
}

func TestSummary(t *testing.T) {
	page := write(t, article(), Options{})
	for _, want := range []string{"median of busy-same-fifo: busy, same CPU, FIFO 40", "all 5000 signals were received", "nothing makes these figures doubtful", "Virtual time.", "Virtual time: without caches"} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	runs := article()
	for _, r := range runs {
		r.Clock = "real"
	}
	runs[1].Counts.Lost = 12
	runs[1].Worst = nil
	runs[0].CPUs = []recording.CPULatency{{CPU: 3, Latency: analysis.Summary{Count: 7, Min: 2000, Max: 9000, Mean: 3500}}, {CPU: 4}}
	page = write(t, runs, Options{})
	if strings.Contains(page, "Virtual time") {
		t.Error("real time is called virtual")
	}
	for _, want := range []string{"<strong>12</strong>", "of 5000 sent or refused, in blocked-same", "12 of 1000 signals lost", "<dt>CPU 3</dt><dd>2.000\u00a0µs to 9.000\u00a0µs, mean 3.500\u00a0µs, 7 samples</dd>", "<dt>CPU 4</dt><dd>no samples</dd>"} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	page = write(t, mixture()[7:8], Options{})
	for _, want := range []string{"no run received a signal", "these inputs do not say what was sent"} {
		if !strings.Contains(page, want) {
			t.Errorf("page without samples lacks %q", want)
		}
	}
}

// TestFiguresOnly has an input without a distribution beside a slower run with
// one: its median is not known, and not 0.
func TestFiguresOnly(t *testing.T) {
	figures := &recording.Recording{Run: recording.Run{Name: "figures", Latency: analysis.Summary{Count: 9, Min: 100, Mean: 200, Max: 300}, Import: &recording.Import{}}}
	run := lab("run", "same", "other", "sigwait", 100, 5000)
	page := write(t, []*recording.Recording{figures, run}, Options{})
	if !strings.Contains(page, "median of run: ") {
		t.Error("another input than the one with a median is the fastest")
	}
	for _, zero := range []string{`<td class="n mid">0.000</td>`, "<td>0.000</td>", "figures: median", "0 ns, p99.9"} {
		if i := strings.Index(page, zero); i >= 0 {
			t.Errorf("a median that is not known: %s", page[max(0, i-80):i+20])
		}
	}
	page = write(t, []*recording.Recording{figures}, Options{})
	if strings.Contains(page, "no run received a signal") || strings.Contains(page, "Fastest set-up") || !strings.Contains(page, "0.300") {
		t.Error("figures alone are no samples")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrors(t *testing.T) {
	if err := Write(io.Discard, nil, Options{}); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("report of nothing: %v", err)
	}
	if err := Write(failing{}, article(), Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("report to a full disk: %v", err)
	}
}

func TestDeterministic(t *testing.T) {
	first, second := write(t, mixture(), Options{}), write(t, mixture(), Options{})
	if first != second {
		t.Error("two reports of the same runs differ")
	}
}
