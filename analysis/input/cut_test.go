// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"siglat/analysis/recording"
)

// told joins what a reader tells of a text: figures and warnings.
func told(recs []*recording.Recording) (figure, warning string) {
	var fs, ws []string
	for _, r := range recs {
		fs = append(fs, figures(r))
		ws = append(ws, r.Warnings...)
	}
	return strings.Join(fs, "|"), strings.Join(ws, "|")
}

// placed is an error about a text that names the line, or a file of records.
var placed = regexp.MustCompile(`^read stdin(:\d+: |: (empty|no records of samples\.raw|record \d+ is no sample|cut off: \d+ bytes after record |more than \d+ bytes of JSON))`)

// TestCutOff cuts every seed of every format after each of its bytes. A cut is
// an error that names the place, or a warning that the whole text does not
// give, or what was cut off told nothing.
func TestCutOff(t *testing.T) {
	for _, f := range formats {
		cuts := 0
		for _, text := range seeds(t, f.name) {
			whole, wholeErr := (&Reader{Stdin: bytes.NewReader(text), Format: f.name}).Open([]string{"-"})
			if wholeErr != nil {
				continue
			}
			fig, warn := told(whole)
			step := max(1, len(text)/100) // the longest have 90 kB
			for n := 0; n < len(text); n++ {
				if n%step != 0 && n < len(text)-300 && n > 60 {
					continue
				}
				recs, err := (&Reader{Stdin: bytes.NewReader(text[:n]), Format: f.name}).Open([]string{"-"})
				if err != nil {
					if !placed.MatchString(err.Error()) {
						t.Fatalf("%s: error without file and line: %v", f.name, err)
					}
					cuts++
					continue
				}
				got, warned := told(recs)
				if !subset(warned, warn) {
					cuts++
					continue
				}
				if got == fig {
					continue
				}
				if wholeUnits(f.name, text[:n]) {
					continue
				}
				t.Errorf("%s: cut to %d of %d bytes, after %q: %s without a warning, whole %s", f.name, n, len(text), text[max(0, n-30):n], got, fig)
				break
			}
		}
		if cuts < 10 {
			t.Errorf("%s: only %d cuts are noticed", f.name, cuts)
		}
	}
}

// subset tells whether all warnings of a are among those of b.
func subset(a, b string) bool {
	for _, w := range strings.Split(a, "|") {
		if !strings.Contains(b, w) && !strings.HasPrefix(w, "only ") {
			return false
		}
	}
	return true
}

// wholeUnits tells whether a text is one of those without an end that could be
// missed, where any number of whole lines or records is a file of its own.
func wholeUnits(format string, text []byte) bool {
	lines := bytes.HasSuffix(text, []byte("\n"))
	switch format {
	case "raw":
		return len(text)%rawSize == 0
	case "raw-csv", "plain", "latency-max", "hlog":
		return lines
	case "cyclictest": // samples, status lines and plot data
		return lines && !bytes.Contains(text, []byte("# Histogram"))
	}
	return false
}
