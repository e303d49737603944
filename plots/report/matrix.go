// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"

	"siglat/analysis/recording"
	"siglat/plots"
)

// A matrix compares the median of each run, or of each group of equal runs,
// with that of each other.
type matrix struct {
	Caption string
	Names   []link
	Rows    []matrixRow
}

type matrixRow struct {
	link
	Median string
	Cells  []matrixCell
}

// A matrixCell is the row's median in relation to the column's.
type matrixCell struct {
	Text, Detail string
	Class        string // faster, slower, same, none
}

// maxMatrix is the most rows of a matrix: more would not be read.
const maxMatrix = 16

// newMatrix returns nil where there is nothing to compare.
func newMatrix(runs []*recording.Recording, v view) *matrix {
	sides, names, caption := matrixSides(runs, v)
	if len(sides) < 2 {
		return nil
	}
	m := &matrix{Caption: caption, Names: names}
	for i, a := range sides {
		row := matrixRow{link: names[i], Median: micros(a.MedianNS)}
		for k, b := range sides {
			row.Cells = append(row.Cells, newCell(names[i].Name, names[k].Name, a, b, i == k))
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

func newCell(row, column string, a, b Side, self bool) matrixCell {
	r := ratio(float64(a.MedianNS), float64(b.MedianNS))
	switch {
	case self:
		return matrixCell{Text: "–", Class: "none"}
	case math.IsNaN(r) || a.MedianNS <= 0:
		return matrixCell{Text: "?", Class: "none"}
	case a.MedianNS == b.MedianNS:
		return matrixCell{Text: "=", Class: "same", Detail: row + " and " + column + " have the same median"}
	}
	c := matrixCell{Text: times(r), Class: "faster"}
	word := "faster"
	if r > 1 {
		c.Class, word = "slower", "slower"
	}
	if c.Text == times(1) {
		c.Class = "same" // to the digits that are shown
	}
	c.Detail = fmt.Sprintf("%s is %s than %s by %s", row, word, column, plots.FormatNS(math.Abs(float64(a.MedianNS-b.MedianNS))))
	return c
}

// matrixSides returns all runs where they are few, else the set-ups with
// their runs pooled, else the first runs; the caption says which.
func matrixSides(runs []*recording.Recording, v view) (sides []Side, names []link, caption string) {
	caption = "Median of the row's run divided by that of the column's: below 1 the row is faster"
	var with []int
	for i, r := range runs {
		if _, ok := hasSamples(r); ok && r.HasQuantiles() {
			with = append(with, i)
		}
	}
	gs := groups("", known(runs), false)
	if len(with) > maxMatrix && len(gs) > 1 && len(gs) <= maxMatrix {
		for _, g := range gs {
			text := setupOf(g.runs[0]).describe("")
			sides = append(sides, newSide(text, g.runs))
			names = append(names, link{Name: fmt.Sprintf("%s (%d runs)", text, len(g.runs))})
		}
		return sides, names, caption + ". Runs of the same set-up are pooled"
	}
	if len(with) > maxMatrix {
		caption += fmt.Sprintf(". Shown are the first %d of %d runs; the table below has all", maxMatrix, len(with))
		with = with[:maxMatrix]
	}
	for _, i := range with {
		sides = append(sides, newSide(runs[i].Name, runs[i:i+1]))
		names = append(names, link{v.id(i), runs[i].Name})
	}
	return sides, names, caption
}
