// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestSaveFormats(t *testing.T) {
	p := mustHistogram(t, Options{Title: "µ"}, Series{Name: "run", Dist: values(1, 2, 3)})
	dir := t.TempDir()
	for name, magic := range map[string]string{"a.png": "\x89PNG", "b.SVG": "<?xml", "c.pdf": "%PDF-"} {
		path := filepath.Join(dir, name)
		for range 2 { // the second one replaces the first
			if err := Save(p, 4*vg.Inch, 3*vg.Inch, path); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), magic) {
			t.Errorf("%s starts with %q", name, b[:8])
		}
	}
	only(t, dir, "a.png", "b.SVG", "c.pdf")
}

func TestSaveRejects(t *testing.T) {
	p := mustHistogram(t, Options{}, Series{Name: "run", Dist: values(1)})
	dir := t.TempDir()
	for _, name := range []string{"a.gif", "a", "a.svg.gz"} {
		err := Save(p, 4*vg.Inch, 3*vg.Inch, filepath.Join(dir, name))
		if err == nil {
			t.Errorf("%s: saved", name)
			continue
		}
		for _, want := range []string{name, ".png", ".svg", ".pdf"} {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q is not one line that names %s", err, want)
			}
		}
	}
	if err := Save(p, 4*vg.Inch, 3*vg.Inch, filepath.Join(dir, "missing", "a.svg")); err == nil {
		t.Error("saved into a directory that does not exist")
	}
	// What cannot be replaced leaves nothing half-written beside it.
	if err := os.MkdirAll(filepath.Join(dir, "taken.svg", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Save(p, 4*vg.Inch, 3*vg.Inch, filepath.Join(dir, "taken.svg")); err == nil {
		t.Error("replaced a directory")
	}
	only(t, dir, "taken.svg")
}

func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("directory holds %q, want %q", got, want)
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
