// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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

// Save writes the picture to path, as PNG, SVG or PDF according to its
// extension. The file appears whole or not at all; one that was there before
// is replaced. It returns an error for another extension and when the file
// cannot be written.
func Save(p *plot.Plot, w, h vg.Length, path string) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	var b bytes.Buffer
	if err := Encode(&b, p, w, h, format); err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	if err := writeFile(path, b.Bytes()); err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	return nil
}

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

// writeFile writes beside path and renames. CreateTemp would make the file
// unreadable for others; this leaves the mode to the umask.
func writeFile(path string, data []byte) (err error) {
	tmp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp))
		}
	}()
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
