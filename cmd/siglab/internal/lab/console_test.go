// SPDX-License-Identifier: GPL-2.0-only

package lab

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMakeConsole(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("old", []byte("of another boot"), 0o644); err != nil {
		t.Fatal(err)
	}
	path, err := makeConsole("old")
	if data, rerr := os.ReadFile("old"); err != nil || rerr != nil || len(data) > 0 || !filepath.IsAbs(path) {
		t.Errorf("%s, %v, holds %q, %v", path, err, data, rerr)
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"/dev/full", "keep console in /dev/full: not a regular file: name another"},
		{"pipe", "pipe: not a regular file"},
		{dir, dir + ": not a regular file"},
		{"none/console", "keep console: open " + dir + "/none/console: no such file"},
	} {
		if path, err := makeConsole(c.path); err == nil || path != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v, want %s", c.path, path, err, c.want)
		}
	}
}
