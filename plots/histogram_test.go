// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestHistogramGolden(t *testing.T) {
	outlier := Series{Name: "busy, other CPU", Dist: with(skewed(1000, 3, 2000, 20000, 0.35), 10_100_065), Lost: lost(0)}
	p := mustHistogram(t, Options{Title: "Signal latency"}, outlier)
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "histogram.png")
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "histogram.svg")

	p = mustHistogram(t, Options{BudgetNS: 90_000},
		Series{Name: "blocked, other CPU", Dist: skewed(1000, 1, 20000, 20000, 0.35), Lost: lost(0)},
		Series{Name: "blocked, same CPU", Dist: skewed(1000, 2, 14000, 15000, 0.5), Lost: lost(3)},
		Series{Name: "imported <raw> & nameless", Dist: skewed(500, 5, 8000, 15000, 0.4)})
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "overlay.png")
	golden(t, p, 7*vg.Inch, 4*vg.Inch, "overlay.svg")

	p = mustHistogram(t, Options{}, Series{Name: "virtual time", Dist: repeated(values(), 5863, 1000), Lost: lost(0)})
	golden(t, p, 5*vg.Inch, 3*vg.Inch, "equal.svg")
	p = mustHistogram(t, Options{Title: "Nothing came"}, Series{Name: "starved", Lost: lost(1000)})
	golden(t, p, 5*vg.Inch, 3*vg.Inch, "empty.svg")
}

// Whatever the data, a picture appears, in every format.
func TestHistogramAwkward(t *testing.T) {
	for name, d := range awkward() {
		for _, o := range []Options{{}, {Plain: true}, {MinNS: 5000, MaxNS: 6000}, {BinWidthNS: 1}, {BinWidthNS: 1e15}, {BudgetNS: 100_000}} {
			t.Run(fmt.Sprintf("%s/%+v", name, o), func(t *testing.T) {
				single := mustHistogram(t, o, Series{Name: name, Dist: d})
				several := mustHistogram(t, o, Series{Name: name, Dist: d}, Series{Name: "other", Dist: values(3000)})
				var b bytes.Buffer
				for _, format := range []string{"svg", "pdf", "png"} {
					b.Reset()
					if err := Encode(&b, single, 6*vg.Inch, 4*vg.Inch, format); err != nil {
						t.Fatal(err)
					}
					if strings.Contains(b.String(), "NaN") || format == "svg" && strings.Contains(b.String(), "Inf") {
						t.Errorf("%s has coordinates that are no numbers", format)
					}
				}
				b.Reset()
				if err := Encode(&b, several, 6*vg.Inch, 4*vg.Inch, "svg"); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestHistogramRejects(t *testing.T) {
	s := []Series{{Name: "a", Dist: values(1)}}
	for _, c := range []struct {
		series []Series
		o      Options
		want   string
	}{
		{nil, Options{}, "no run"},
		{s, Options{BinWidthNS: -1}, "bin width -1 ns"},
		{s, Options{BudgetNS: -1}, "budget -1 ns"},
		{s, Options{MinNS: 5, MaxNS: 5}, "from 5 to 5 ns"},
		{s, Options{MinNS: 5}, "from 5 to 0 ns"},
	} {
		_, err := Histogram(c.series, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
}

// A lone sample is seen in a picture of 1000 pixels, however far it is from
// the others, and the others are still spread over much of it.
func TestOutlierVisible(t *testing.T) {
	for _, o := range []Options{{}, {Plain: true}} {
		d := with(skewed(100_000, 3, 2000, 20000, 0.35), 10_100_065)
		p := mustHistogram(t, o, Series{Name: "run", Dist: d})
		var b bytes.Buffer
		w := vg.Length(1000*72) / dpi
		if err := Encode(&b, p, w, w*5/8, "png"); err != nil {
			t.Fatal(err)
		}
		columns := coloured(decode(t, b.Bytes()))
		if columns[len(columns)-1] < 900 {
			t.Errorf("%+v: the last coloured pixel column is %d of 1000, the outlier's bar is missing", o, columns[len(columns)-1])
		}
		if !o.Plain && len(columns) < 400 {
			t.Errorf("the bulk covers %d pixel columns of 1000, want 400", len(columns))
		}
	}
}

// coloured returns the pixel columns just above the latency axis that have
// the first run's colour.
func coloured(im image.Image) []int {
	var out []int
	r := im.Bounds()
	for x := r.Min.X; x < r.Max.X; x++ {
		for y := r.Max.Y * 3 / 4; y < r.Max.Y*9/10; y++ {
			r, g, b, _ := im.At(x, y).RGBA()
			if b>>8 > 0x90 && r>>8 < 0x60 && g>>8 < 0xa8 {
				out = append(out, x)
				break
			}
		}
	}
	return out
}

func TestSamplesBeyondTheAxis(t *testing.T) {
	p := mustHistogram(t, Options{MinNS: 10, MaxNS: 20}, Series{Name: "run", Dist: values(5, 12, 13, 25, 26, 27)})
	var b bytes.Buffer
	if err := Encode(&b, p, 6*vg.Inch, 4*vg.Inch, "svg"); err != nil {
		t.Fatal(err)
	}
	if want := "beyond the axis: 1 below, 3 above"; !strings.Contains(b.String(), want) {
		t.Errorf("picture does not say %q", want)
	}
}

func TestManyRunsShortLegend(t *testing.T) {
	var s []Series
	for i := range maxLegend + 5 {
		s = append(s, Series{Name: fmt.Sprint("run ", i), Dist: values(int64(1000 + i))})
	}
	var b bytes.Buffer
	if err := Encode(&b, mustHistogram(t, Options{}, s...), DefaultWidth, DefaultHeight, "svg"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "and 5 more") {
		t.Error("the legend does not say that 5 runs are not in it")
	}
}
