// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"siglat/analysis/recording"
	"siglat/plots"
)

// A figure is a picture inside the page.
type figure struct {
	Title   string
	SVG     template.HTML
	Caption string
	Virtual bool
}

// maxOverlay is the most runs drawn over each other; more cannot be told
// apart.
const maxOverlay = 8

func histogram(id string, r *recording.Recording, o Options) (*figure, error) {
	p, err := plots.Histogram([]plots.Series{plots.SeriesOf(r)}, o.picture(r))
	f, ok := hasSamples(r)
	alt := "no samples"
	if ok && r.HasQuantiles() {
		alt = fmt.Sprintf("%s samples from %s to %s, median %s", plots.Count(f.Count), ns(f.Min), ns(f.Max), ns(f.P50))
	}
	list, err := appendFigure(nil, p, err, 4*vg.Inch, id, "Histogram of the latencies of "+r.Name, alt,
		"How often each latency was seen; the count axis is logarithmic.", r)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

var svgTag = regexp.MustCompile(`(?s)^.*?<svg [^>]*viewBox="([^"]*)"[^>]*>`)

// inline makes a picture part of the page: its size follows the column, its
// colours and font are those of the style sheet, and it has a name and a
// description for who cannot see it.
func inline(p *plot.Plot, w, h vg.Length, id, title, desc string) (template.HTML, error) {
	var b bytes.Buffer
	if err := plots.Encode(&b, p, w, h, "svg"); err != nil {
		return "", err
	}
	s := b.String()
	m := svgTag.FindStringSubmatchIndex(s)
	if m == nil {
		return "", fmt.Errorf("picture %s has no viewBox", id)
	}
	head := fmt.Sprintf(`<svg viewBox="%s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		s[m[2]:m[3]], id, id, id, html.EscapeString(title), id, html.EscapeString(desc))
	return template.HTML(head + themed.Replace(s[m[1]:])), nil
}

// themed replaces colours by variables of the style sheet, which has a set
// for dark screens, and drops what the style sheet says once for all texts.
var themed = newTheme()

func newTheme() *strings.Replacer {
	pairs := []string{
		plots.SVGFont, "",
		"font-weight:normal;", "",
		"font-style:normal;", "",
		"\n\tstyle", " style",
	}
	add := func(c color.NRGBA, name string) {
		pairs = append(pairs, fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B), "var(--"+name+")")
	}
	add(plots.ColorInk, "ink")
	add(plots.ColorMuted, "muted")
	add(plots.ColorGrid, "grid")
	add(plots.ColorShade, "shade")
	add(plots.ColorPaper, "paper")
	for i, c := range plots.Palette {
		add(c, fmt.Sprintf("run%d", i))
	}
	for i, c := range plots.Ramp {
		add(c, fmt.Sprintf("heat%d", i))
	}
	return strings.NewReplacer(pairs...)
}
