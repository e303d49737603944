// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

func importCmd(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport import",
		Synopsis: "FILE... -o DIR [flags]",
		About: `Makes run directories of files of other tools, which all commands read. A
single recording becomes DIR; of several, as for a file of several threads,
each becomes DIR/NAME. Prints what it made. What the file does not tell, such
as lost signals or the machine, stays unknown.`,
		Examples: []string{"sigreport import cyclictest.txt -o runs/cyclictest"},
	}
	dir := c.Group("Output").StringP("out", "o", "", "`DIR` to make; it must not hold a run already")
	in := inputFlags(&c)
	recs, err := load(&c, in, args, s)
	if err != nil {
		return err
	}
	if err := needOutput(&c, *dir, "DIR"); err != nil {
		return err
	}
	dirs, err := directories(*dir, recs)
	if err != nil {
		return err
	}
	for i, r := range recs {
		if err := recording.WriteImport(dirs[i], r, cli.Version("sigreport")); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(s.Out, dirs[i]); err != nil {
			return err
		}
	}
	return printWarnings(s.Err, recs)
}

// directories returns where each recording goes.
func directories(dir string, recs []*recording.Recording) ([]string, error) {
	seen := map[string]bool{}
	var dirs []string
	for _, r := range recs {
		switch {
		case r.HasRun:
			return nil, fmt.Errorf("import %s: it is a run directory already", r.Path)
		case len(recs) == 1:
			return []string{dir}, nil
		}
		name := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(r.Name)
		if strings.Trim(name, ".") == "" || seen[name] {
			return nil, fmt.Errorf("import %s: another recording is named so too: import them one by one", r.Name)
		}
		seen[name] = true
		dirs = append(dirs, filepath.Join(dir, name))
	}
	if len(dirs) == 0 {
		return nil, errors.New("import: no recordings")
	}
	return dirs, nil
}
