// SPDX-License-Identifier: GPL-2.0-only

package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, put("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, put("two")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "two" {
		t.Errorf("through the link: %q", got)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	// A failing writer changes nothing and leaves nothing.
	broken := errors.New("broken")
	if err := Write(path, func(w io.Writer) error { return errors.Join(put("half")(w), broken) }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if got := content(t, path); got != "two" {
		t.Errorf("after a failure: %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, put("x")); err == nil || err.Error() != "write "+dir+": is a directory" {
		t.Errorf("directory: %v", err)
	}
	missing := filepath.Join(dir, "none", "f")
	if err := Write(missing, put("x")); err == nil || err.Error() != "write "+missing+": no such file or directory" {
		t.Errorf("missing: %v", err)
	}
	if err := Write("/dev/full", put(strings.Repeat("x", 1<<20))); !errors.Is(err, syscall.ENOSPC) || err.Error() != "write /dev/full: no space left on device" {
		t.Errorf("full: %v", err)
	}
	if err := Write("/dev/null", put("x")); err != nil {
		t.Errorf("device: %v", err)
	}
	if fi, err := os.Stat("/dev/null"); err != nil || fi.Mode().IsRegular() {
		t.Errorf("/dev/null was replaced: %v", err)
	}
}
