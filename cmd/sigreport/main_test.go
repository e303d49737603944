// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

func checkRun(t *testing.T, args []string, stdout io.Writer, code int, stderr string) {
	t.Helper()
	var errText strings.Builder
	if got := run(context.Background(), args, strings.NewReader(""), stdout, &errText); got != code || errText.String() != stderr {
		t.Errorf("sigreport %q: exit code %d, %q; want %d, %q", args, got, errText.String(), code, stderr)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no subcommand: one of stats, hist, plot, compare, import, export, merge, trend, report (try sigreport --help)"},
		{[]string{"nope"}, `unknown subcommand "nope": one of stats, hist, plot, compare, import, export, merge, trend, report (try sigreport --help)`},
		{[]string{"stats"}, "no input: give a run directory, a file or - (try sigreport stats --help)"},
		{[]string{"stats", "--nope", "x"}, "unknown flag: --nope (try sigreport stats --help)"},
		{[]string{"hist", "--bins", "0", "x"}, "histogram: 0 bins, must be 1 to 10000000"},
		{[]string{"hist", "--min", "5", "--max", "5", "x"}, "histogram: maximum 5 ns is not above minimum 5 ns"},
		{[]string{"hist", "--max", "10", "x"}, "histogram: 100 bins from 0 to 10 ns would be narrower than 1 ns"},
		{[]string{"hist", "--max", "abc", "x"}, `invalid argument "abc" for "--max" flag: "abc" is neither whole ns nor a time such as 1us, 2.5ms (try sigreport hist --help)`},
		{[]string{"plot", "x"}, "no output: give -o FILE.png (try sigreport plot --help)"},
		{[]string{"plot", "-o", "x.jpg", "x"}, "output x.jpg: end the name with .png, .svg or .pdf"},
		{[]string{"plot", "-o", "x.png"}, "no input: give a run directory, a file or - (try sigreport plot --help)"},
		{[]string{"compare", "x"}, "2 inputs needed, 1 given (try sigreport compare --help)"},
		{[]string{"report", "x"}, "no output: give -o report.html (try sigreport report --help)"},
	} {
		checkRun(t, c.args, io.Discard, 2, "sigreport: "+c.want+"\n")
	}
}

func TestHelp(t *testing.T) {
	for _, c := range subcommands {
		var out strings.Builder
		checkRun(t, []string{c.Name, "--help"}, &out, 0, "")
		if !strings.HasPrefix(out.String(), "Usage: sigreport "+c.Name+" ") || !strings.Contains(out.String(), "Exit status") {
			t.Errorf("%s --help prints %q", c.Name, out.String())
		}
		exceeds := strings.Contains(out.String(), "wrong usage, 3 ")
		if exceeds != (c.Name == "stats" || c.Name == "trend") {
			t.Errorf("%s --help tells of exit status 3: %v", c.Name, exceeds)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			for _, kind := range []string{" string", " ns", " int", " name"} {
				if strings.Contains(line, "--") && strings.Contains(line, kind+"  ") {
					t.Errorf("%s --help: placeholder%s in %q", c.Name, kind, line)
				}
			}
			if len(line) > 90 {
				t.Errorf("%s --help: line too long: %q", c.Name, line)
			}
		}
	}
	var out strings.Builder
	checkRun(t, []string{"--help"}, &out, 0, "")
	for _, c := range subcommands {
		if !strings.Contains(out.String(), "  "+c.Name+" ") {
			t.Errorf("--help does not list %s", c.Name)
		}
	}
}
