// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestEncodeFormats(t *testing.T) {
	p := mustHistogram(t, Options{Title: "µ"}, Series{Name: "run", Dist: values(1, 2, 3)})
	for format, magic := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF-"} {
		var b bytes.Buffer
		if err := Encode(&b, p, 4*vg.Inch, 3*vg.Inch, format); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), magic) {
			t.Errorf("%s starts with %q", format, b.String()[:8])
		}
	}
}

func TestEncodeRejects(t *testing.T) {
	p := mustHistogram(t, Options{}, Series{Name: "run", Dist: values(1)})
	for _, format := range []string{"gif", "", "svg.gz", "PNG"} {
		var b bytes.Buffer
		err := Encode(&b, p, 4*vg.Inch, 3*vg.Inch, format)
		if err == nil || b.Len() > 0 {
			t.Errorf("%q: error %v, %d bytes", format, err, b.Len())
			continue
		}
		for _, want := range []string{format, ".png", ".svg", ".pdf"} {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q is not one line that names %q", err, want)
			}
		}
	}
}

// The same picture gives the same bytes, on any day.
func TestEncodeDeterministic(t *testing.T) {
	for _, format := range []string{"png", "svg", "pdf"} {
		var bytesOf [2]bytes.Buffer
		for i := range bytesOf {
			p := mustHistogram(t, Options{Title: "Latency"}, Series{Name: "a", Dist: values(1, 2, 3)}, Series{Name: "b", Dist: values(2)})
			if err := Encode(&bytesOf[i], p, 4*vg.Inch, 3*vg.Inch, format); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(bytesOf[0].Bytes(), bytesOf[1].Bytes()) {
			t.Errorf("two %s of the same picture differ", format)
		}
		if format == "pdf" && !strings.Contains(bytesOf[0].String(), "/CreationDate (D:19700101") {
			t.Error("the PDF holds the time of day")
		}
	}
}

// Each text in an SVG carries its width, so that no other font makes it run
// out of the picture.
func TestTextWidths(t *testing.T) {
	var b bytes.Buffer
	p := mustHistogram(t, Options{Title: "Latency"}, Series{Name: "a", Dist: values(1, 2, 3)})
	if err := Encode(&b, p, 4*vg.Inch, 3*vg.Inch, "svg"); err != nil {
		t.Fatal(err)
	}
	texts, widths := strings.Count(b.String(), "<text "), strings.Count(b.String(), `<text textLength="`)
	if texts < 20 || widths != texts {
		t.Errorf("%d of %d texts have a width", widths, texts)
	}
}
