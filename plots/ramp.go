// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ramp orders counts: one hue, each step darker than the one before, so that
// grey print and every eye keep the order.
var Ramp = []color.NRGBA{
	{0xb0, 0xd2, 0xea, 0xff},
	{0x84, 0xba, 0xdd, 0xff},
	{0x58, 0xa1, 0xd0, 0xff},
	{0x2f, 0x87, 0xbf, 0xff},
	{0x0c, 0x6d, 0xa6, 0xff},
	{0x0a, 0x53, 0x82, 0xff},
	{0x08, 0x3a, 0x5d, 0xff},
	{0x06, 0x23, 0x3a, 0xff},
}

// A scale gives counts from 1 up their colour: a step for each range of
// counts, the ranges of equal length on a logarithmic scale.
type scale struct{ starts []uint64 }

func scaleTo(most uint64) scale {
	var s scale
	for i := range Ramp {
		v := uint64(math.Ceil(math.Pow(float64(most), float64(i)/float64(len(Ramp))) * (1 - 1e-9)))
		if n := len(s.starts); n > 0 && v <= s.starts[n-1] {
			v = s.starts[n-1] + 1
		}
		if v <= max(most, 1) {
			s.starts = append(s.starts, v)
		}
	}
	return s
}

// step returns the index of the colour for a count of at least 1.
func (s scale) step(n uint64) int {
	i := len(s.starts) - 1
	for i > 0 && n < s.starts[i] {
		i--
	}
	return i
}

// color spreads few steps over the whole ramp.
func (s scale) color(step int) color.NRGBA {
	if len(s.starts) < 2 {
		return Ramp[len(Ramp)/2]
	}
	return Ramp[step*(len(Ramp)-1)/(len(s.starts)-1)]
}

// Sizes of the strip that explains a scale.
const (
	stripHeight = vg.Length(22)
	stripCell   = vg.Length(56)
)

// strip draws the colours with their counts, left and top at a place.
func (s scale) strip(c *draw.Canvas, what string, x, y vg.Length) {
	ink, muted := textStyle(rowSize, ColorInk), textStyle(rowSize, ColorMuted)
	c.FillText(muted, vg.Point{X: x, Y: y - 8}, what)
	x += muted.Width(what) + gutter
	ink.XAlign = draw.XCenter
	cell := min(stripCell, (c.Max.X-x)/vg.Length(len(s.starts)))
	for i, from := range s.starts {
		c.SetColor(s.color(i))
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - 8}, Max: vg.Point{X: x + cell, Y: y - 1}}.Path())
		c.FillText(ink, vg.Point{X: x + cell/2, Y: y - 18}, s.label(i, from))
		x += cell
	}
}

func (s scale) label(i int, from uint64) string {
	switch {
	case i == len(s.starts)-1 && from == 1:
		return "1"
	case i == len(s.starts)-1:
		return "from " + short(from)
	case s.starts[i+1] == from+1:
		return short(from)
	}
	return short(from) + "–" + short(s.starts[i+1]-1)
}

// short writes a count with at most four characters.
func short(n uint64) string {
	for _, u := range []struct {
		name string
		n    float64
	}{{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if v := float64(n) / u.n; v >= 1 {
			if v < 9.95 {
				return fmt.Sprintf("%.1f%s", v, u.name)
			}
			return fmt.Sprintf("%.0f%s", v, u.name)
		}
	}
	return fmt.Sprint(n)
}
