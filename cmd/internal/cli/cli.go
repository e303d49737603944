// SPDX-License-Identifier: GPL-2.0-only

// Package cli holds what the three commands share: exit codes, usage errors
// and flags in groups.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Exit codes of all commands.
const (
	ExitOK       = 0 // done
	ExitFailed   = 1 // could not be done
	ExitUsage    = 2 // the command line is wrong
	ExitExceeded = 3 // done, and a threshold was exceeded
)

// exitStatus describes the codes; more tells of those besides done, failed
// and wrong usage.
func exitStatus(more string) string {
	if more != "" {
		more = ", " + more
	}
	return "Exit status: 0 done, 1 failed, 2 wrong usage" + more + ".\n"
}

// A CodeError carries the exit code that an error asks for. Without an error
// in it there is nothing to say: see [Status].
type CodeError struct {
	Code int
	Err  error
}

func (e *CodeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

func (e *CodeError) Unwrap() error { return e.Err }

// Usagef returns an error for a wrong command line: exit code 2.
func Usagef(format string, args ...any) error {
	return &CodeError{ExitUsage, fmt.Errorf(format, args...)}
}

// Exceededf returns an error for an exceeded threshold: exit code 3.
func Exceededf(format string, args ...any) error {
	return &CodeError{ExitExceeded, fmt.Errorf(format, args...)}
}

// Status returns an error that asks for an exit code, such as that of another
// program, and prints nothing; nil for 0.
func Status(code int) error {
	if code == ExitOK {
		return nil
	}
	return &CodeError{Code: code}
}

// Report prints err as one line "name: what" on stderr and returns the exit
// code. A nil error and [pflag.ErrHelp] are no errors.
func Report(name string, err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return ExitOK
	}
	code := ExitFailed
	var ce *CodeError
	if errors.As(err, &ce) {
		if code = ce.Code; ce.Err == nil {
			return code
		}
	}
	line := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	fmt.Fprintf(stderr, "%s: %s\n", name, line)
	return code
}

// A Command is a command line with flags under headings.
type Command struct {
	Name     string // "sigwait", "sigreport hist"
	Synopsis string // "[flags] FILE..."
	About    string // a sentence or two
	Examples []string
	Exit     string // exit codes besides 0, 1 and 2: "3 a latency is over --over"
	Sub      []Subcommand

	groups []group
}

type group struct {
	title string
	flags *pflag.FlagSet
}

// Group starts a heading of the usage text and returns the set that takes
// its flags.
func (c *Command) Group(title string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(title, pflag.ContinueOnError)
	fs.SortFlags = false
	c.groups = append(c.groups, group{title, fs})
	return fs
}

// Parse parses args, without the command's name, and returns the operands.
// For --help it prints the usage text on stdout and returns [pflag.ErrHelp];
// any other error is a usage error.
func (c *Command) Parse(args []string, stdout io.Writer) ([]string, error) {
	return c.parse(c.flagSet(), args, stdout)
}

// ParseCommand is Parse for a command whose operands are a command line of
// their own: flags end at the first operand.
func (c *Command) ParseCommand(args []string, stdout io.Writer) ([]string, error) {
	all := c.flagSet()
	all.SetInterspersed(false)
	return c.parse(all, args, stdout)
}

func (c *Command) parse(all *pflag.FlagSet, args []string, stdout io.Writer) ([]string, error) {
	if len(args) == 1 && args[0] == describe {
		p := c.page()
		if err := p.withSubcommands(context.Background(), c.Sub); err != nil {
			return nil, err
		}
		return nil, printPage(stdout, p)
	}
	if err := all.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(stdout, c.Usage())
			return nil, err
		}
		text := err.Error()
		if before, value, bare := strings.Cut(text, ": time: missing unit in duration "); bare {
			text = fmt.Sprintf("%s: %s has no unit: use 1000us, 1ms or 10s", before, value)
		}
		return nil, Usagef("%s (try %s --help)", text, c.Name)
	}
	return all.Args(), nil
}

func (c *Command) flagSet() *pflag.FlagSet {
	all := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	all.Usage = func() {}
	all.SetOutput(io.Discard)
	for _, g := range c.groups {
		all.AddFlagSet(g.flags)
	}
	return all
}

// Changed tells whether the user gave the flag.
func (c *Command) Changed(name string) bool {
	for _, g := range c.groups {
		if f := g.flags.Lookup(name); f != nil {
			return f.Changed
		}
	}
	return false
}

// Usage returns the text of --help.
func (c *Command) Usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n\n%s\n", c.Name, c.Synopsis, c.About)
	for _, g := range c.groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsages())
	}
	if len(c.Sub) > 0 {
		b.WriteString(subcommandList(c.Sub))
	}
	if len(c.Examples) > 0 {
		fmt.Fprintf(&b, "\nExamples:\n")
		for _, e := range c.Examples {
			fmt.Fprintf(&b, "  %s\n", e)
		}
	}
	fmt.Fprintf(&b, "\n%s", exitStatus(c.Exit))
	return b.String()
}
