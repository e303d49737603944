// SPDX-License-Identifier: GPL-2.0-only

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A page is all that a command line tells of itself: the one source of manual
// pages and completions.
type page struct {
	Name, Synopsis, About, Exit string
	Examples                    []string
	Groups                      []pageGroup
	Sub                         []page
}

type pageGroup struct {
	Title string
	Flags []pageFlag
}

type pageFlag struct {
	Name, Short, Arg, Usage, Default string
}

// describe as the only argument makes a command print its page as JSON.
const describe = "--describe"

func (c *Command) page() page {
	p := page{Name: c.Name, Synopsis: c.Synopsis, About: c.About, Exit: exitStatus(c.Exit), Examples: c.Examples}
	for _, g := range c.groups {
		out := pageGroup{Title: g.title}
		g.flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			arg, usage := pflag.UnquoteUsage(f)
			def := f.DefValue
			switch def {
			case "0", "false", "[]", "0s":
				def = ""
			}
			out.Flags = append(out.Flags, pageFlag{f.Name, f.Shorthand, arg, usage, def})
		})
		p.Groups = append(p.Groups, out)
	}
	return p
}

// pageOf asks a command for its page.
func pageOf(run func(args []string, stdout io.Writer) error) (page, error) {
	var out bytes.Buffer
	var p page
	if err := run([]string{describe}, &out); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return p, err
	}
	err := json.Unmarshal(out.Bytes(), &p)
	return p, err
}

func printPage(stdout io.Writer, p page) error {
	if err := json.NewEncoder(stdout).Encode(p); err != nil {
		return err
	}
	return pflag.ErrHelp
}

// withSubcommands adds to p the pages of the subcommands in a table.
func (p *page) withSubcommands(ctx context.Context, table []Subcommand) error {
	for _, c := range table {
		sub, err := pageOf(func(args []string, stdout io.Writer) error {
			return c.Run(ctx, args, Streams{In: strings.NewReader(""), Out: stdout, Err: io.Discard})
		})
		if err != nil {
			return fmt.Errorf("describe %s: %w", c.Name, err)
		}
		p.Sub = append(p.Sub, sub)
	}
	return nil
}

// documents are the flags that every command has besides its own.
var documents = []pageFlag{
	{"help", "h", "", "describe the command", ""},
	{"version", "", "", "print the version", ""},
	{"man", "", "", "print the manual page, as man -l - shows it", ""},
	{"completion", "", "SHELL", "print what makes SHELL complete the command's flags: bash, zsh or fish", ""},
}

// Documents answers --version, --man and --completion as the first argument;
// handled is false for any other. run is the command without them.
func Documents(name string, args []string, stdout io.Writer, run func(args []string, stdout io.Writer) error) (handled bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	print := func(text func(page) string) (bool, error) {
		p, err := pageOf(run)
		if err == nil {
			own := p.flags()
			more := slices.DeleteFunc(slices.Clone(documents), func(f pageFlag) bool {
				return slices.ContainsFunc(own, func(o pageFlag) bool { return o.Name == f.Name })
			})
			p.Groups = append(p.Groups, pageGroup{"About the command", more})
			_, err = io.WriteString(stdout, text(p))
		}
		return true, err
	}
	switch args[0] {
	case "--version":
		_, err := fmt.Fprintln(stdout, Version(name))
		return true, err
	case "--man":
		return print(manual)
	case "--completion":
		if len(args) != 2 || completions[args[1]] == nil {
			return true, Usagef("--completion: want bash, zsh or fish")
		}
		return print(completions[args[1]])
	}
	return false, nil
}
