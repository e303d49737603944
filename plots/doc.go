// SPDX-License-Identifier: GPL-2.0-only

// Package plots draws latencies: pictures for the screen, for print and for
// the report, as PNG, SVG or PDF.
//
// Every picture is a *plot.Plot whose x or y data is in nanoseconds; the axes
// write it in the unit that suits the data. Colours tell runs apart for
// colour-blind readers too, dash patterns do the same in grey print.
package plots
