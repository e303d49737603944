// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi of PNG pictures: 8 inches are 1152 pixels.
const dpi = 144

// Default size of a picture, made for a screen and for a page in landscape.
const (
	DefaultWidth  = 8 * vg.Inch
	DefaultHeight = 5 * vg.Inch
)

// Encode writes the picture in a format: "png", "svg" or "pdf". The same
// picture gives the same bytes.
func Encode(out io.Writer, p *plot.Plot, w, h vg.Length, format string) error {
	var c vg.CanvasWriterTo
	switch format {
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))}
	case "svg":
		c = newSVG(w, h)
	case "pdf":
		c = newPDF(w, h)
	default:
		return fmt.Errorf("unknown picture format %q: end the name with .png, .svg or .pdf", format)
	}
	area := draw.New(c)
	c.SetColor(p.BackgroundColor)
	c.Fill(area.Path())
	p.Draw(draw.Crop(area, 8, -12, 8, -8))
	_, err := c.WriteTo(out)
	return err
}
