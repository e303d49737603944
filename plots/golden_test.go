// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

var update = flag.Bool("update", false, "write the golden pictures instead of comparing with them")

// golden compares the picture with testdata/name: SVG byte for byte, PNG
// within what another rasteriser's rounding may change.
func golden(t *testing.T, p *plot.Plot, w, h vg.Length, name string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var b bytes.Buffer
	if err := Encode(&b, p, w, h, filepath.Ext(name)[1:]); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same := bytes.Equal(want, b.Bytes())
	if filepath.Ext(name) == ".png" {
		same = alike(t, want, b.Bytes())
	}
	if !same {
		got := filepath.Join(t.ArtifactDir(), name)
		if err := os.WriteFile(got, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Errorf("picture differs from %s; it is in %s (go test -artifacts keeps it); go test -update accepts it", path, got)
	}
}

// alike tells whether two PNGs have the same size and differ nowhere by more
// than a tenth of the range of a colour channel.
func alike(t *testing.T, a, b []byte) bool {
	t.Helper()
	x, y := decode(t, a), decode(t, b)
	if x.Bounds() != y.Bounds() {
		return false
	}
	near := func(p, q uint32) bool { return max(p, q)-min(p, q) <= 0xffff/10 }
	for v := x.Bounds().Min.Y; v < x.Bounds().Max.Y; v++ {
		for u := x.Bounds().Min.X; u < x.Bounds().Max.X; u++ {
			r0, g0, b0, _ := x.At(u, v).RGBA()
			r1, g1, b1, _ := y.At(u, v).RGBA()
			if !near(r0, r1) || !near(g0, g1) || !near(b0, b1) {
				return false
			}
		}
	}
	return true
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	im, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return im
}
