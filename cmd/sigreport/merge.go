// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

func mergeCmd(_ context.Context, args []string, s cli.Streams) error {
	c := cli.Command{
		Name:     "sigreport merge",
		Synopsis: "INPUT... -o DIR [flags]",
		About: `Makes one run directory of many, or of files: all values together, exactly,
whatever the order of the inputs. Counts such as the lost signals add up. Each
input becomes an interval of the time line and is named, with its figures, as a
member in run.json. Conditions that the inputs do not share become unknown, and
a warning. Prints the figures of the result.`,
		Examples: []string{"sigreport merge runs/2026-* -o runs/2026"},
	}
	f := c.Group("Output")
	dir := f.StringP("out", "o", "", "`DIR` to make; it must not hold a run already")
	skip := f.Bool("skip-corrupt", false, "leave out, and name, inputs that cannot be read or hold\nno distribution")
	in := inputFlags(&c)
	paths, err := c.Parse(args, s.Out)
	in.Stdin = s.In
	if err != nil {
		return err
	}
	if err := needOutput(&c, *dir, "DIR"); err != nil {
		return err
	}
	if err := needInputs(&c, paths, 1); err != nil {
		return err
	}
	if err := refuseTwice(paths); err != nil {
		return err
	}
	m := merging{in: in, skip: *skip}
	if err := m.add(paths); err != nil {
		return err
	}
	abs, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	if err := m.merger.Write(*dir, &recording.Run{Name: filepath.Base(abs), Tool: cli.Version("sigreport"), Warnings: m.left}); err != nil {
		return err
	}
	merged, err := input.Open([]string{*dir}, nil)
	if err != nil {
		return err
	}
	return writeStats(s.Out, merged)
}

// refuseTwice fails when two paths are the same file: its values would count
// twice.
func refuseTwice(paths []string) error {
	seen := map[string]bool{}
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			continue // reading it will tell
		}
		if seen[real] {
			return cli.Usagef("input %s is given twice", p)
		}
		seen[real] = true
	}
	return nil
}

// merging opens inputs, as many at a time as there are processors, and adds
// them up in their order.
type merging struct {
	in     *input.Reader
	skip   bool
	merger recording.Merger
	left   []string // warnings of what was left out
}

func (m *merging) add(paths []string) error {
	width := runtime.GOMAXPROCS(0)
	recs, errs := make([][]*recording.Recording, width), make([]error, width)
	for len(paths) > 0 {
		n := min(width, len(paths))
		var wg sync.WaitGroup
		for i, p := range paths[:n] {
			wg.Go(func() { recs[i], errs[i] = m.in.OpenOne(p) })
		}
		wg.Wait()
		for i := range n {
			if err := m.take(paths[i], recs[i], errs[i]); err != nil {
				return err
			}
		}
		paths = paths[n:]
	}
	return nil
}

func (m *merging) take(path string, recs []*recording.Recording, err error) error {
	if err == nil {
		err = m.merger.Add(recs...)
	}
	if err != nil && m.skip {
		m.left = append(m.left, fmt.Sprintf("left out %s: %v", path, err))
		return nil
	}
	return err
}
