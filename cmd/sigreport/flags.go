// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"siglat/analysis/input"
	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

// span is a flag for a time: whole ns, or a number with a unit.
type span int64

func (v *span) String() string { return strconv.FormatInt(int64(*v), 10) }
func (v *span) Type() string   { return "ns" }

func (v *span) Set(s string) error {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		*v = span(n)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is neither whole ns nor a time such as 1us, 2.5ms", s)
	}
	*v = span(d)
	return nil
}

// refuseInput fails when the file to be written is one of the inputs or a
// file of a run among them.
func refuseInput(out string, paths []string) error {
	target, err := os.Stat(out)
	if err != nil || !target.Mode().IsRegular() {
		return nil
	}
	for _, p := range paths {
		if p == input.Stdin {
			continue
		}
		for _, name := range []string{".", recording.RunFile, recording.LogFile, recording.SamplesFile} {
			if fi, err := os.Stat(filepath.Join(p, name)); err == nil && os.SameFile(fi, target) {
				return cli.Usagef("output %s is one of the inputs", out)
			}
		}
		if fi, err := os.Stat(p); err == nil && os.SameFile(fi, target) {
			return cli.Usagef("output %s is one of the inputs", out)
		}
	}
	return nil
}

// needOutput fails without -o.
func needOutput(c *cli.Command, out, example string) error {
	if out == "" {
		return cli.Usagef("no output: give -o %s (try %s --help)", example, c.Name)
	}
	return nil
}
