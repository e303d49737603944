// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"siglat/analysis/atomicfile"
	"siglat/analysis/export"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

// hlogFormat is the form that needs no rows.
const hlogFormat = "hlog"

func exportCmd(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport export",
		Synopsis: "[flags] INPUT...",
		About: `Writes the histograms of all inputs for other programs. Values below and above
the classes are counted, never dropped; sigreport reads back all forms. In the
form of cyclictest, which existing scripts read, inputs stand in the place of
threads.`,
		Examples: []string{
			"sigreport export --as cyclictest --max 400us runs/a > histogram.txt",
			"sigreport export -o all.csv runs/*",
		},
	}
	f := c.Group("Output")
	as := f.String("as", "", "`FORM`, one of\n"+exportForms()+"\n(default: by the extension of --out, else csv)")
	out := f.StringP("out", "o", "", "`FILE` to write instead of standard output")
	rows := rowFlags(&c, "1us")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	form, err := exportForm(*as, *out)
	if err != nil {
		return err
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	if *out != "" {
		if err := refuseInput(*out, paths); err != nil {
			return err
		}
	}
	h, err := rows.histograms(&c)
	if err != nil {
		return err
	}
	var recs []*recording.Recording
	if form == hlogFormat {
		recs, err = in.Open(paths)
	} else {
		recs, err = h.read(in, paths)
	}
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return writeExport(w, form, recs, h) }
	if *out != "" {
		err = atomicfile.Write(*out, write)
	} else if err = write(s.Out); err != nil {
		err = fmt.Errorf("export as %s: %w", form, err)
	}
	if err != nil {
		return err
	}
	for _, note := range h.notes() {
		fmt.Fprintf(s.Err, "note: %s\n", note)
	}
	return nil
}

func writeExport(w io.Writer, form string, recs []*recording.Recording, h *histograms) error {
	if form == hlogFormat {
		return recording.WriteLog(w, recs)
	}
	var all []export.Histogram
	for i, r := range recs {
		if n := h.lines[i].Over(); n > 0 && !r.HasBound() {
			return fmt.Errorf("%s: %d of its values lie above the rows, and it does not tell how many more: leave out --max", r.Name, n)
		}
		all = append(all, export.Of(r, h.lines[i]))
	}
	for _, f := range export.Formats {
		if f.Name == form {
			return f.Write(w, all)
		}
	}
	return fmt.Errorf("form %q is not known", form)
}

// exportForm returns the form that was asked for.
func exportForm(as, out string) (string, error) {
	ext := strings.ToLower(filepath.Ext(out))
	for _, f := range export.Formats {
		if as == f.Name || as == "" && f.Extension != "" && ext == f.Extension {
			return f.Name, nil
		}
	}
	switch {
	case as == hlogFormat || as == "" && ext == ".hlog":
		return hlogFormat, nil
	case as == "" && out == "":
		return export.Formats[0].Name, nil
	case as == "":
		return "", cli.Usagef("output %s: its name tells no form; give --as", out)
	}
	return "", cli.Usagef("form %q is not known (try sigreport export --help)", as)
}

func exportForms() string {
	var lines []string
	for _, f := range export.Formats {
		lines = append(lines, fmt.Sprintf("  %-11s%s", f.Name, f.About))
	}
	return strings.Join(append(lines, fmt.Sprintf("  %-11s%s", hlogFormat, "HdrHistogram log (V2), without classes of its own")), "\n")
}
