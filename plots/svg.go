// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas writes colours exactly, where vgsvg rounds translucent ones,
// and names the fonts that take the place of Liberation with equal metrics. It
// gives each text its width: with any other font it would run into its
// neighbours or out of the picture.
type svgCanvas struct {
	*vgsvg.Canvas
	widths *[]vg.Length // of the texts, in their order
}

func newSVG(w, h vg.Length) svgCanvas { return svgCanvas{vgsvg.New(w, h), new([]vg.Length)} }

// FillString implements vg.Canvas.
func (c svgCanvas) FillString(face font.Face, pt vg.Point, s string) {
	*c.widths = append(*c.widths, face.Width(s))
	c.Canvas.FillString(face, pt, s)
}

// SetColor implements vg.Canvas.
func (c svgCanvas) SetColor(clr color.Color) {
	if n, ok := clr.(color.NRGBA); ok && n.A > 0 {
		clr = raised(n)
	}
	c.Canvas.SetColor(clr)
}

// raised is a colour whose parts survive the division by its opacity.
type raised color.NRGBA

// RGBA implements color.Color.
func (c raised) RGBA() (r, g, b, a uint32) {
	a = uint32(c.A) * 0x101
	up := func(v uint8) uint32 { return (uint32(v)*a + 254) / 255 }
	return up(c.R), up(c.G), up(c.B), a
}

// WriteTo implements io.WriterTo.
func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	out := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;font-variant:normal;"), []byte(SVGFont))
	n, err := w.Write(c.measured(out))
	return int64(n), err
}

// measured adds the widths to the texts.
func (c svgCanvas) measured(svg []byte) []byte {
	const tag = "<text "
	var out []byte
	for _, w := range *c.widths {
		before, after, _ := bytes.Cut(svg, []byte(tag))
		out = append(append(out, before...), tag...)
		if w > 0 {
			out = fmt.Appendf(out, `textLength="%.4g" lengthAdjust="spacingAndGlyphs" `, w.Points())
		}
		svg = after
	}
	return append(out, svg...)
}

// SVGFont is the style of every text in an SVG picture.
const SVGFont = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
