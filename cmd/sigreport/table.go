// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A table is printed with its first column to the left and the others to the
// right.
type table struct {
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) error {
	var widths widths
	for _, r := range t.rows {
		widths.fit(r)
	}
	var b strings.Builder
	for _, r := range t.rows {
		b.WriteString(widths.line(r))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths are those of the columns of a table, in characters.
type widths []int

// fit makes room for a row.
func (w *widths) fit(row []string) {
	for i, c := range row {
		if i == len(*w) {
			*w = append(*w, 0)
		}
		(*w)[i] = max((*w)[i], utf8.RuneCountInString(c))
	}
}

// line returns a row with its end.
func (w widths) line(row []string) string {
	var b strings.Builder
	for i, c := range row {
		pad := strings.Repeat(" ", w[i]-utf8.RuneCountInString(c))
		if i == 0 {
			b.WriteString(c + pad)
		} else {
			b.WriteString("  " + pad + c)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// tenths formats a figure that is not whole, in ns.
func tenths(ns float64) string {
	if math.IsNaN(ns) {
		return unknown
	}
	return fmt.Sprintf("%.1f", ns)
}

// unknown stands for a figure that the input does not tell.
const unknown = "-"
