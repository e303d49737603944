// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"slices"
	"strings"

	"siglat/analysis/input"
	"siglat/cmd/internal/cli"
)

// unitFlag is a flag for the unit of a file's numbers, in ns.
type unitFlag int64

var units = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

func (v *unitFlag) Type() string { return "ns|us|ms|s" }

func (v *unitFlag) String() string {
	for name, ns := range units {
		if ns == int64(*v) {
			return name
		}
	}
	return ""
}

func (v *unitFlag) Set(s string) error {
	ns, ok := units[s]
	if !ok {
		return fmt.Errorf("%q is none of ns, us, ms, s", s)
	}
	*v = unitFlag(ns)
	return nil
}

// formatFlag is a flag for the name of a format.
type formatFlag string

func (v *formatFlag) Type() string   { return "name" }
func (v *formatFlag) String() string { return string(*v) }

func (v *formatFlag) Set(s string) error {
	names, _ := input.Formats()
	if !slices.Contains(names, s) {
		return fmt.Errorf("%q is none of %s", s, strings.Join(names, ", "))
	}
	*v = formatFlag(s)
	return nil
}

// inputFlags adds the flags that say how files are read, to a reader that
// they fill.
func inputFlags(c *cli.Command) *input.Reader {
	r := &input.Reader{}
	f := c.Group("Input")
	f.Var((*formatFlag)(&r.Format), "format", "`FORMAT` of all files, whatever they look like: one of\n"+formatList())
	f.Var((*unitFlag)(&r.UnitNS), "unit", "`UNIT` of numbers without one: ns, us, ms or s (default:\nns for plain integers, us in files of other tools)")
	return r
}

// formatList is broken into lines that fit the usage text.
func formatList() string {
	names, _ := input.Formats()
	list := ""
	width := 0
	for i, name := range names {
		if i > 0 {
			list += ", "
		}
		if width += len(name) + 2; width > 56 {
			list, width = strings.TrimSuffix(list, " ")+"\n", len(name)
		}
		list += name
	}
	return list
}
