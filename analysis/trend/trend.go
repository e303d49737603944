// SPDX-License-Identifier: GPL-2.0-only

// Package trend follows the latencies of many hosts over many days and finds
// when they changed.
package trend

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Point is what one run, or one step of a long one, says. Latencies are ns.
type Point struct {
	Key
	Kernel string    `json:"kernel"`
	Start  time.Time `json:"start"` // wall clock
	P50    int64     `json:"p50_ns"`
	P99    int64     `json:"p99_ns"`
	Max    int64     `json:"max_ns"`
	Count  uint64    `json:"count"`
	Lost   uint64    `json:"lost"`
	Path   string    `json:"path,omitempty"` // of the run directory
}

// A Key names the points that may be compared over time: whatever else
// changes, the kernel too, may be the cause of a change.
type Key struct {
	Host   string `json:"host"`
	Config string `json:"config"`
}

// A Series are the points of a key, in the order of time.
type Series struct {
	Key
	Points []Point
}

// Group sorts points into series, these by host and configuration.
func Group(points []Point) []Series {
	index := map[Key]int{}
	var list []Series
	for _, p := range points {
		i, known := index[p.Key]
		if !known {
			i = len(list)
			index[p.Key], list = i, append(list, Series{Key: p.Key})
		}
		list[i].Points = append(list[i].Points, p)
	}
	for _, s := range list {
		slices.SortFunc(s.Points, func(a, b Point) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Path, b.Path)) })
	}
	slices.SortFunc(list, func(a, b Series) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Config, b.Config)) })
	return list
}

// A Cell sums up the points of a series with one kernel.
type Cell struct {
	Key
	Kernel string    `json:"kernel"`
	Runs   int       `json:"runs"`
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
	P99    int64     `json:"median_p99_ns"` // of the points'
	Max    int64     `json:"max_ns"`
	Count  uint64    `json:"count"`
	Lost   uint64    `json:"lost"`
}

// Cells sums up series by kernel, in the order in which these came first.
func Cells(list []Series) []Cell {
	var cells []Cell
	for _, s := range list {
		index := map[string]int{}
		p99 := map[int][]int64{}
		for _, p := range s.Points {
			i, known := index[p.Kernel]
			if !known {
				i = len(cells)
				index[p.Kernel] = i
				cells = append(cells, Cell{Key: s.Key, Kernel: p.Kernel, First: p.Start})
			}
			c := &cells[i]
			c.Runs++
			c.Last, c.Max = p.Start, max(c.Max, p.Max)
			c.Count, c.Lost = c.Count+p.Count, c.Lost+p.Lost
			p99[i] = append(p99[i], p.P99)
		}
		for i, v := range p99 {
			cells[i].P99 = median(v)
		}
	}
	return cells
}

// median returns the lower median and sorts v.
func median(v []int64) int64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}

// Days returns the point with the highest latency of each day, in UTC and in
// order.
func Days(points []Point) []Point {
	worst := map[string]Point{}
	for _, p := range points {
		day := p.Start.UTC().Format(time.DateOnly)
		if w, known := worst[day]; !known || p.Max > w.Max || p.Max == w.Max && p.Start.Before(w.Start) {
			worst[day] = p
		}
	}
	days := make([]Point, 0, len(worst))
	for _, p := range worst {
		days = append(days, p)
	}
	slices.SortFunc(days, func(a, b Point) int { return a.Start.Compare(b.Start) })
	return days
}

// A Change is a place in a series from which on a figure is another.
type Change struct {
	Key
	Figure string  `json:"figure"`           // p50, p99 or max
	Before int64   `json:"before_ns"`        // medians of the figure on both sides
	After  int64   `json:"after_ns"`         //
	Factor float64 `json:"factor"`           // After / Before
	First  Point   `json:"first"`            // the first point after the change
	Kernel string  `json:"kernel,omitempty"` // of First, if those before have another
	// P is the chance of a split as clear as this, or clearer, anywhere in a
	// series without a change, times the number of series looked at.
	P float64 `json:"p"`
	// Stands tells that no later change of this figure follows in the series.
	Stands bool `json:"stands"`
}

// Regression tells whether c is a rise that still stands.
func (c *Change) Regression() bool { return c.Stands && c.Factor > 1 }

// Figures are the names that [Changes] takes.
var Figures = []string{"p50", "p99", "max"}

func figure(p *Point, name string) int64 {
	switch name {
	case "p50":
		return p.P50
	case "max":
		return p.Max
	}
	return p.P99
}

// Changes finds where a figure of the series changed by at least the share
// least, as 0.1, with P at most level. It splits a series where its ranks
// differ most, and the parts again. It takes the points of a series for
// independent but for changes: where they are not, as when the days are hot
// and the nights cold, it finds too many. A figure that changed for a small part
// of the series and changed back may not be found. The same series always give the same
// changes.
func Changes(list []Series, name string, least, level float64) []Change {
	var found []Change
	f := finder{figure: name, least: least, level: level, tests: max(len(list), 1)}
	for _, s := range list {
		f.values = f.values[:0]
		for i := range s.Points {
			f.values = append(f.values, figure(&s.Points[i], name))
		}
		f.series = s
		before := len(found)
		if found = f.changes(found); len(found) > before {
			found[len(found)-1].Stands = true
		}
	}
	return found
}

// share returns the change of a factor, as 0.4 for one of 1.4, and for its
// inverse.
func share(factor float64) float64 { return math.Expm1(math.Abs(math.Log(factor))) }
