// SPDX-License-Identifier: GPL-2.0-only

package lab

import (
	"archive/tar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"siglat/cmd/siglab/internal/initramfs"
	"siglat/cmd/siglab/internal/vm"
)

func TestCheckFlags(t *testing.T) {
	good := Boot{Kernel: "6.12", Clock: vm.Virtual, CPUs: 2, Timeout: time.Minute}
	if err := CheckFlags(good); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Boot){
		func(b *Boot) { b.Kernel = "x" }, func(b *Boot) { b.Clock = "" },
		func(b *Boot) { b.CPUs = 0 }, func(b *Boot) { b.CPUs = 65 }, func(b *Boot) { b.Timeout = 0 },
		func(b *Boot) { b.KernelArgs = "a=1\nb" }, func(b *Boot) { b.KernelArgs = strings.Repeat("a", maxKernelArgs+1) },
	} {
		b := good
		change(&b)
		if CheckFlags(b) == nil {
			t.Errorf("taken: %+v", b)
		}
	}
}

func TestMemoryGrowsWithArchive(t *testing.T) {
	if got := memory(8 << 20); got != 768 {
		t.Errorf("8 MiB: %d", got)
	}
	if got := memory(400 << 20); got < 2*400+256 {
		t.Errorf("400 MiB: %d", got)
	}
}

func TestPackCopy(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"plain", "tree/a", "tree/sub/b"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for spec, want := range map[string]string{
		"plain": "/home/plain", "plain:/etc/x": "/etc/x", "plain:sub/y": "/home/sub/y", "plain:": "/home/plain",
		"tree": "/home/tree/sub/b", "tree:/t": "/t/a",
	} {
		a := initramfs.New()
		if err := packCopy(a, spec); err != nil {
			t.Errorf("%s: %v", spec, err)
		} else if !a.Has(want) {
			t.Errorf("%s: no %s", spec, want)
		}
	}
	if err := packCopy(initramfs.New(), "missing"); err == nil {
		t.Error("a missing file was packed")
	}
}

func TestPackCommand(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := packCommand(initramfs.New(), Boot{Command: []string{script}})
	if err == nil || !strings.Contains(err.Error(), "not a program") {
		t.Errorf("script: got %v", err)
	}
	if _, err := packCommand(initramfs.New(), Boot{Command: []string{"no-such-program-here"}}); err == nil {
		t.Error("a missing program was packed")
	}
	self, err := os.Executable() // lab.test
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.MkdirAll("testdata/x", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/x/y", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	a := initramfs.New()
	args, err := packCommand(a, Boot{Command: []string{self, "-x"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/bin/lab.test -x"; strings.Join(args, " ") != want {
		t.Errorf("got %q, want %s", args, want)
	}
	if !a.Has("/home/testdata/x/y") || !a.Has(args[0]) {
		t.Error("a test's program and testdata are not both packed")
	}
}

// A dynamic program comes with its linker and libraries.
func TestLibraries(t *testing.T) {
	const sh = "/bin/sh"
	libs, err := libraries(sh)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(libs, " ")
	if !strings.Contains(all, "libc.so.6") || !strings.Contains(all, "ld-linux") {
		t.Errorf("%s needs %q", sh, libs)
	}
}

func TestCompiler(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(source, []byte("int a;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-c", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	version, err := exec.Command("gcc", "-dumpfullversion").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := compiler(object)
	if err != nil || !strings.HasPrefix(text, "GCC: ") || !strings.HasSuffix(text, strings.TrimSpace(string(version))) {
		t.Errorf("%q, %v; want that of %s", text, err, version)
	}
	if text, err := compiler(source); err == nil {
		t.Errorf("of a text: %q", text)
	}
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	u := startUnpacking(dir)
	w := tar.NewWriter(u)
	put := func(h *tar.Header, text string) {
		h.Size = int64(len(text))
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	put(&tar.Header{Typeflag: tar.TypeReg, Name: "run/a", Mode: 0o644}, "text")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := u.finish(true); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "run", "a")); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	for _, h := range []*tar.Header{
		{Typeflag: tar.TypeReg, Name: "../outside"},
		{Typeflag: tar.TypeSymlink, Name: "link", Linkname: "/etc/passwd"},
	} {
		u := startUnpacking(t.TempDir())
		w := tar.NewWriter(u)
		_ = w.WriteHeader(h)
		_ = w.Close()
		if err := u.finish(true); err == nil {
			t.Errorf("%s was unpacked", h.Name)
		}
	}
	u := startUnpacking(t.TempDir())
	_, _ = u.Write(make([]byte, 100))
	if err := u.finish(true); err == nil {
		t.Error("a cut stream is whole")
	}
}
