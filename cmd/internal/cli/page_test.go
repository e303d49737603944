// SPDX-License-Identifier: GPL-2.0-only

package cli

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var table = []Subcommand{
	{Name: "show", About: "what there is", Run: func(_ context.Context, args []string, s Streams) error {
		c := Command{Name: "tool show", Synopsis: "[flags] FILE", About: "Shows a file: its \"parts\". And more.", Examples: []string{`tool show '.a\b'`}, Exit: "3 not enough"}
		f := c.Group("Form")
		f.IntP("count", "n", 7, "show `N` of them")
		f.Bool("all", false, ".all of [them]: don't stop")
		_, err := c.Parse(args, s.Out)
		return err
	}},
	{Name: "hide", About: "what there was", Run: func(_ context.Context, args []string, s Streams) error {
		c := Command{Name: "tool hide", About: "Hides it."}
		_, err := c.Parse(args, s.Out)
		return err
	}},
}

func tool(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Dispatch(context.Background(), "tool", "Shows and hides.", table, args, Streams{Out: &out, Err: io.Discard}); err != nil && err != pflag.ErrHelp {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

func TestManual(t *testing.T) {
	text := tool(t, "--man")
	for _, want := range []string{
		".TH TOOL 1", "tool \\- shows and hides\n", ".B tool show\n[flags] FILE\n", ".SH \"TOOL SHOW\"\nShows a file: its \\(dqparts\\(dq. And more.\n",
		".TP\n\\fB\\-n\\fR, \\fB\\-\\-count\\fR \\fIN\\fR\nshow N of them\n(default 7)\n", "\\fB\\-\\-all\\fR\n\\&.all of", "tool show '.a\\eb'\n",
		"Exit status: 0 done, 1 failed, 2 wrong usage, 3 not enough.\n", "\\fB\\-\\-completion\\fR \\fISHELL\\fR",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestBash completes words as a shell does.
func TestBash(t *testing.T) {
	script := tool(t, "--completion", "bash")
	for line, want := range map[string]string{
		"":            "show hide",
		"s":           "show",
		"--v":         "--version",
		"show --":     "--count --all --help",
		"show --c":    "--count",
		"show x":      "",
		"hide --":     "--help",
		"--version s": "",
	} {
		words := strings.Split(line, " ")
		last := words[len(words)-1]
		cmd := exec.Command("bash", "-ec", script+`COMP_WORDS=(tool "$@") COMP_CWORD=$#
_tool tool "${!#}" tool
echo "${COMPREPLY[@]}"`, "bash")
		cmd.Args = append(cmd.Args, words...)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q (last word %q)", line, got, err, want, last)
		}
	}
}

// TestOtherShells: all flags and subcommands are there, and no quote of a text
// ends a string.
func TestOtherShells(t *testing.T) {
	for shell, wants := range map[string][]string{
		"zsh":  {"#compdef tool\n", "'--count[show N of them]:N:_files'", "'--all[.all of (them), dont stop]'", "'show:shows a file'"},
		"fish": {"-a show -d 'shows a file'", "-l count -s n -r -d 'show N of them'", "-n '__fish_seen_subcommand_from show' -l all"},
	} {
		text := tool(t, "--completion", shell)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", shell, want, text)
			}
		}
		if strings.Count(text, "'")%2 != 0 {
			t.Errorf("%s: an odd number of quotes", shell)
		}
	}
}

func TestDocumentsUsage(t *testing.T) {
	for _, args := range [][]string{{"--completion"}, {"--completion", "csh"}} {
		handled, err := Documents("tool", args, io.Discard, nil)
		if !handled || Report("tool", err, io.Discard) != ExitUsage {
			t.Errorf("%q: %v, %v", args, handled, err)
		}
	}
	if handled, _ := Documents("tool", []string{"show"}, io.Discard, nil); handled {
		t.Error("a subcommand was taken for a document")
	}
	if text := tool(t, "--version"); !strings.HasPrefix(text, "tool ") {
		t.Errorf("--version: %q", text)
	}
}
