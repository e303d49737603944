// SPDX-License-Identifier: GPL-2.0-only

package export

import (
	"encoding/json"
	"io"

	"siglat/analysis"
)

// Schema and Version name what [JSON] writes.
const (
	Schema  = "siglat-histogram"
	Version = 1
)

// A File is the object that [JSON] writes.
type File struct {
	Schema     string  `json:"schema"`
	Version    int     `json:"version"`
	Histograms []Entry `json:"histograms"`
}

// An Entry is one histogram of a [File]. Classes without values are left out.
// Where Over is not known, Latency is of the values within the classes.
type Entry struct {
	Name    string           `json:"name"`
	Latency analysis.Summary `json:"latency_ns"`
	FromNS  int64            `json:"from_ns"`  // lower end of the first class
	ToNS    int64            `json:"to_ns"`    // upper end of the last class, not included
	WidthNS int64            `json:"width_ns"` // of a class
	Under   uint64           `json:"under"`    // values below FromNS
	Over    *uint64          `json:"over"`     // values at or above ToNS, nil when not known
	Classes []Class          `json:"classes"`
}

// A Class counts values from LowNS on.
type Class struct {
	LowNS int64  `json:"low_ns"`
	Count uint64 `json:"count"`
}

// JSON writes histograms as a [File].
func JSON(w io.Writer, hs []Histogram) error {
	f := File{Schema, Version, []Entry{}}
	for _, h := range hs {
		e := Entry{
			Name: h.Name, Latency: h.Latency, FromNS: h.Rows.Edge(0), ToNS: h.Rows.Edge(h.Rows.Bins()),
			WidthNS: width(h.Rows), Under: h.Rows.Under(), Classes: []Class{},
		}
		if over := h.Rows.Over(); !h.OverOpen {
			e.Over = &over
		}
		for r := range h.Rows.Rows() {
			if r.Count > 0 {
				e.Classes = append(e.Classes, Class{r.Low, r.Count})
			}
		}
		f.Histograms = append(f.Histograms, e)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(f)
}
