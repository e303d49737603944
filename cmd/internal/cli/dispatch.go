// SPDX-License-Identifier: GPL-2.0-only

package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// A Subcommand is one row of a command's table.
type Subcommand struct {
	Name  string
	About string // a few words for the list of subcommands
	Run   func(ctx context.Context, args []string, s Streams) error
}

// Dispatch runs the subcommand that args name, or prints the list of them for
// --help. A missing or unknown name is a usage error.
func Dispatch(ctx context.Context, name, about string, table []Subcommand, args []string, s Streams) error {
	if len(args) == 0 {
		return Usagef("no subcommand: one of %s (try %s --help)", names(table), name)
	}
	switch args[0] {
	case "-h", "--help", "help":
		fmt.Fprint(s.Out, listUsage(name, about, table))
		return pflag.ErrHelp
	}
	if args[0] == describe {
		p := page{Name: name, Synopsis: "SUBCOMMAND [flags] ...", About: about}
		if err := p.withSubcommands(ctx, table); err != nil {
			return err
		}
		return printPage(s.Out, p)
	}
	again := func(args []string, out io.Writer) error {
		return Dispatch(ctx, name, about, table, args, Streams{In: s.In, Out: out, Err: s.Err})
	}
	if handled, err := Documents(name, args, s.Out, again); handled {
		return err
	}
	for _, c := range table {
		if c.Name == args[0] {
			return c.Run(ctx, args[1:], s)
		}
	}
	return Usagef("unknown subcommand %.40q: one of %s (try %s --help)", args[0], names(table), name)
}

func names(table []Subcommand) string {
	var n []string
	for _, c := range table {
		n = append(n, c.Name)
	}
	return strings.Join(n, ", ")
}

func listUsage(name, about string, table []Subcommand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s SUBCOMMAND [flags] ...\n\n%s\n%s", name, about, subcommandList(table))
	fmt.Fprintf(&b, "\n%s SUBCOMMAND --help describes one, and its exit status. %s --version, --man and\n--completion SHELL print the version, the manual page, and completion for bash,\nzsh or fish.\n", name, name)
	return b.String()
}

func subcommandList(table []Subcommand) string {
	var b strings.Builder
	b.WriteString("\nSubcommands:\n")
	width := 0
	for _, c := range table {
		width = max(width, len(c.Name))
	}
	for _, c := range table {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name, c.About)
	}
	return b.String()
}
