// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of everything that is no data.
var (
	ColorInk   = color.NRGBA{0x1b, 0x1f, 0x24, 0xff} // text and axes
	ColorMuted = color.NRGBA{0x57, 0x60, 0x6a, 0xff} // text of less weight
	ColorGrid  = color.NRGBA{0xe1, 0xe4, 0xe8, 0xff}
	ColorShade = color.NRGBA{0xf3, 0xf5, 0xf7, 0xff} // where the axis is compressed
	ColorPaper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// Palette tells runs apart: Okabe and Ito's colours for readers with and
// without colour vision deficiency, without the yellow that white paper
// swallows, in an order that keeps neighbours apart in grey, too.
var Palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x3d, 0x3d, 0x3d, 0xff}, // near black
}

// dashes go with the palette so that lines differ in print. Their number and
// the palette's have no common factor: 35 runs until a pair comes back.
var dashes = [][]vg.Length{
	nil,
	{vg.Points(5), vg.Points(2)},
	{vg.Points(1.5), vg.Points(1.5)},
	{vg.Points(7), vg.Points(2), vg.Points(1.5), vg.Points(2)},
	{vg.Points(3), vg.Points(1)},
}

func lineOf(i int) draw.LineStyle {
	return draw.LineStyle{Color: Palette[i%len(Palette)], Width: vg.Points(1.1), Dashes: dashes[i%len(dashes)]}
}

func textStyle(size float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
		Handler: plot.DefaultTextHandler,
	}
}

func boldStyle(size float64, c color.Color) text.Style {
	s := textStyle(size, c)
	s.Font.Weight = xfont.WeightBold
	return s
}

// newPlot returns a plot in the house style, without data.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = ColorPaper
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color = ColorInk
		a.Width = vg.Points(0.7)
		a.Padding = 0
		a.Label.Padding = vg.Points(5)
		a.Tick.LineStyle = draw.LineStyle{Color: ColorInk, Width: vg.Points(0.6)}
		a.Tick.Length = vg.Points(5)
		restyle(&a.Label.TextStyle, 10)
		restyle(&a.Tick.Label, 9)
	}
	return p
}

// restyle sets font and colour and keeps the alignment.
func restyle(s *text.Style, size float64) {
	n := textStyle(size, ColorInk)
	s.Font, s.Color = n.Font, n.Color
}

// fit shortens s so that it is at most w wide in the style.
func fit(s string, sty text.Style, w vg.Length) string {
	if sty.Width(s) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && sty.Width(string(r)+"…") > w {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
