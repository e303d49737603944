// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"image/color"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// A pdfCanvas corrects three things of vgpdf: it looks for bold fonts under
// another name than it registers them; it writes UTF-8 where its font encoding
// is code page 1252; and it takes colours multiplied by their opacity, which
// PDF then applies again.
type pdfCanvas struct{ *vgpdf.Canvas }

// newPDF returns a canvas whose bytes depend on the picture alone.
func newPDF(w, h vg.Length) pdfCanvas {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
	return pdfCanvas{vgpdf.New(w, h)}
}

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(face font.Face, pt vg.Point, s string) {
	if face.Font.Weight != xfont.WeightNormal {
		face.Font.Typeface += "Bold"
		face.Font.Weight = xfont.WeightNormal
	}
	enc := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder())
	if e, err := enc.String(s); err == nil {
		s = e
	}
	c.Canvas.FillString(face, pt, s)
}

// SetColor implements vg.Canvas.
func (c pdfCanvas) SetColor(clr color.Color) {
	if n, ok := clr.(color.NRGBA); ok {
		clr = straight(n)
	}
	c.Canvas.SetColor(clr)
}

// straight is a colour that hands out its parts without the opacity in them.
type straight color.NRGBA

// RGBA implements color.Color.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}
