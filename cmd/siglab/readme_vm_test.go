// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeAsRoot runs what README.md records as root, shortened: in a machine
// with the module. Its baseline is in TestExplained.
func TestReadmeAsRoot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program := built(t, "sigwait", buildWait)
	ran := 0
	for line := range strings.Lines(string(text)) {
		words, ok := strings.CutPrefix(line, "sudo build/bin/sigwait --")
		if !ok {
			continue
		}
		ran++
		words, _, _ = strings.Cut("--"+words, ">") // of standard output
		args := append([]string{"exec", "--", program}, strings.Fields(words)...)
		stdout, stderr, code := siglab(t, append(args, "-n", "20", "--period", "10ms")...)
		if code != 0 || strings.Count(stdout, "\n") != 20 {
			t.Errorf("%q: code %d, stdout %q, stderr %q", words, code, stdout, stderr)
		}
	}
	if ran < 4 {
		t.Errorf("only %d commands", ran)
	}
}
