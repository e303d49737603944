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
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		line := ""
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i == 0 {
				line += c + pad
			} else {
				line += "  " + pad + c
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
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
