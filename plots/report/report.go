// SPDX-License-Identifier: GPL-2.0-only

// Package report writes the report of any number of runs as one HTML file
// that needs no network and no other file, and finds the pairs of runs that
// answer a question.
package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"

	"siglat/analysis/comparison"
	"siglat/analysis/recording"
)

// Options of a report.
type Options struct {
	Title    string // "Signal latency" when empty
	Tool     string // program and version, for the last line
	BudgetNS int64  // a deadline to draw into every picture, 0 for none

	// Pairs, where there are any, open the report: the comparisons that were
	// asked for.
	Pairs []*comparison.Pair

	NoReference bool // without a deadline, no line at 100 000 cycles either
}

//go:embed report.html
var pageText string

//go:embed report.css
var styleText string

// The page has one script, and its policy lets no other one run. All can be
// read without it.
//
//go:embed report.js
var scriptText string

var scriptHash = func() string {
	sum := sha256.Sum256([]byte(scriptText))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}()

var page = template.Must(template.New("report.html").Funcs(template.FuncMap{
	"list": func(title string, facts []fact) factList { return factList{title, facts} },
}).Parse(pageText))

// A factList is a titled list of facts for the template.
type factList struct {
	Title string
	Facts []fact
}

// Write writes the report of the runs, in their order, to w. The same runs
// give the same bytes. It returns an error when there is no run or w fails.
func Write(w io.Writer, runs []*recording.Recording, o Options) error {
	if len(runs) == 0 {
		return errors.New("write report: there is no run to report on")
	}
	if o.Title == "" {
		o.Title = "Signal latency"
	}
	doc, err := newDocument(runs, o)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	b := bufio.NewWriter(w)
	if err := page.Execute(b, doc); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
