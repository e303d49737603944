// SPDX-License-Identifier: GPL-2.0-only

package house

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// installed lists what make install puts where, before the module is built.
var installed = []string{
	"usr/bin/siglab", "usr/bin/sigreport", "usr/bin/sigwait",
	"usr/include/siglat.h",
	"usr/lib/sysusers.d/siglat.conf", "usr/lib/udev/rules.d/60-siglat.rules",
	"usr/share/bash-completion/completions/siglab", "usr/share/bash-completion/completions/sigreport", "usr/share/bash-completion/completions/sigwait",
	"usr/share/doc/siglat/LICENSE", "usr/share/doc/siglat/README.md", "usr/share/doc/siglat/cmd/sigreport/README.md", "usr/share/doc/siglat/cmd/sigwait/README.md",
	"usr/share/doc/siglat/modprobe.conf", "usr/share/doc/siglat/siglat.service", "usr/share/doc/siglat/tune-host.sh",
	"usr/share/fish/vendor_completions.d/siglab.fish", "usr/share/fish/vendor_completions.d/sigreport.fish", "usr/share/fish/vendor_completions.d/sigwait.fish",
	"usr/share/man/man1/siglab.1", "usr/share/man/man1/sigreport.1", "usr/share/man/man1/sigwait.1",
	"usr/share/zsh/vendor-completions/_siglab", "usr/share/zsh/vendor-completions/_sigreport", "usr/share/zsh/vendor-completions/_sigwait",
}

// unbuilt returns a tree with what make install takes, commands that are
// empty, and no module.
func unbuilt(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"README.md", "LICENSE", "cmd", "scripts"} {
		top, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(top, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path string, content []byte) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"siglab", "sigreport", "sigwait"} {
		put("build/bin/"+name, nil)
		put("build/man/"+name+".1", nil)
		for _, shell := range []string{"bash", "zsh", "fish"} {
			put("build/completion/"+name+"."+shell, nil)
		}
	}
	for _, name := range moduleFiles(t) {
		b, err := os.ReadFile(filepath.Join(root, "kmod", name))
		if err != nil {
			t.Fatal(err)
		}
		put("kmod/"+name, b)
	}
	return dir
}

// moduleFiles are those of kmod/ that are no product of a build.
func moduleFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "kmod").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range strings.FieldsSeq(string(out)) {
		names = append(names, strings.TrimPrefix(name, "kmod/"))
	}
	return names
}

// checkInstalled compares the files of a folder with what there shall be.
func checkInstalled(t *testing.T, dest string) {
	t.Helper()
	want := slices.Clone(installed)
	for _, name := range moduleFiles(t) {
		want = append(want, "usr/src/siglat-1.0/"+name)
	}
	slices.Sort(want)
	var got []string
	err := fs.WalkDir(os.DirFS(dest), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("installed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInstall(t *testing.T) {
	tree, dest := unbuilt(t), t.TempDir()
	shell(t, tree, "DESTDIR='"+dest+"' PREFIX=/usr scripts/install/install.sh")
	checkInstalled(t, dest)
}

func TestPackage(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("packages are made on Debian: no dpkg-deb here")
	}
	tree, dest := unbuilt(t), t.TempDir()
	shell(t, tree, "scripts/install/deb.sh && dpkg-deb -x build/siglat_1.0_*.deb '"+dest+"'")
	checkInstalled(t, dest)
}

// TestModprobeExample: the example holds the module's parameters with their
// defaults, and no other.
func TestModprobeExample(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "kmod/main.c"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, "scripts/install/modprobe.conf"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`(\w+) = (-?\w+);\nmodule_param\((\w+),`).FindAllStringSubmatch(string(source), -1) {
		value := m[2]
		// A constant's value on newer kernels comes last.
		for _, d := range regexp.MustCompile(`#define `+value+`\s+(\d+)`).FindAllStringSubmatch(string(source), -1) {
			value = d[1]
		}
		want = append(want, m[3]+"="+value)
	}
	_, line, _ := strings.Cut(string(example), "\noptions siglat ")
	if got := strings.Fields(line); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("options %q, want %q", got, want)
	}
}
