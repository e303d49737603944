// SPDX-License-Identifier: GPL-2.0-only

package house

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A block of a README.md with the info string "sh" runs on any machine, and
// here; one with "sh norun" needs root, a virtual machine or minutes, and only
// the form of its commands is checked.
const (
	runs   = "sh"
	noRuns = "sh norun"
)

// blocks returns the fenced blocks with an info string of README.md and those
// of the commands.
func blocks(t *testing.T, info string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "cmd/*/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range append(files, filepath.Join(root, "README.md")) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split("\n"+string(b), "\n```") {
			if head, body, _ := strings.Cut(part, "\n"); i%2 == 1 && head == info {
				found = append(found, body)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("README.md has no block %q", info)
	}
	return found
}

// tree returns a folder in which the paths of README.md mean what they mean
// after make build, and what is written stays apart.
func tree(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "README.md", "analysis", "cmd", "go.mod", "go.sum", "kmod", "plots", "scripts", "sigwait"} {
		if err := os.Symlink(filepath.Join(top, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "build", "bin")+"/", "./cmd/...")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return dir
}

// shell runs a script that must succeed within a minute.
func shell(t *testing.T, dir, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-euc", script)
	c.Dir, c.WaitDelay = dir, time.Second
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("README.md: %v\n%s\n%s", err, script, out)
	}
}

// TestReadme runs what can be run. Of the rest it asks every command for its
// help, after the flags that README.md gives it: a flag that is not known, or
// not with that value, fails.
func TestReadme(t *testing.T) {
	dir := tree(t)
	for _, block := range blocks(t, runs) {
		// It is built, and in a tree of links the go command finds no packages.
		shell(t, dir, strings.ReplaceAll(block, "make build\n", form("make build")+"\n"))
	}
	for _, block := range blocks(t, noRuns) {
		for lines := bufio.NewScanner(strings.NewReader(block)); lines.Scan(); {
			if form := form(lines.Text()); form != "" {
				shell(t, dir, form)
			}
		}
	}
}

// form returns a command line that does nothing and fails where the given one
// has the wrong form; empty if nothing of it is ours.
func form(line string) string {
	words := strings.Fields(strings.TrimPrefix(line, "sudo "))
	end := len(words)
	if i := slices.IndexFunc(words, func(w string) bool { return w == "--" || w == ">" }); i >= 0 {
		end = i
	}
	switch {
	case words[0] == "make":
		// Even with -n make runs the makes below, if that is what they are.
		return strings.Join(slices.Insert(words, 1, "-n", "MAKE=true"), " ")
	case words[0] == "sigwait" || words[0] == "sigreport":
		words[0] = "build/bin/" + words[0] // once installed
		fallthrough
	case strings.HasPrefix(words[0], "build/bin/"):
		return strings.Join(append(slices.Clone(words[:end]), "--help"), " ")
	}
	return ""
}

func TestForm(t *testing.T) {
	for line, want := range map[string]string{
		"make report":                              "make -n MAKE=true report",
		"sudo build/bin/sigwait --cpu 1 > a.txt":   "build/bin/sigwait --cpu 1 --help",
		"build/bin/siglab exec --cpus 2 -- x -n 1": "build/bin/siglab exec --cpus 2 --help",
		"sigreport trend runs --least 3":           "build/bin/sigreport trend runs --least 3 --help",
		"sudo insmod kmod/siglat.ko":               "",
	} {
		if got := form(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
