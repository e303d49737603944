// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All {
		if seen[k.Name] || !strings.Contains(k.Image, "#") || k.Suite == "" || k.Text == "" {
			t.Errorf("bad line %+v", k)
		}
		seen[k.Name] = true
	}
	if _, err := Lookup(Default); err != nil {
		t.Error(err)
	}
	if _, err := Lookup(""); err == nil {
		t.Error("the empty name is a kernel")
	}
}

func TestParseStanza(t *testing.T) {
	show := `Package: linux-headers-6.12.117+deb12-amd64
Version: 6.12.117-1~deb12u1
Pre-Depends: nothing
Depends: linux-base (>= 4.12~), linux-headers-6.12.117+deb12-common (= 6.12.117-1~deb12u1), linux-image-a (= 1) | linux-image-b (= 1), linux-kbuild-6.12.117+deb12, gcc-12:amd64

Package: second
Version: 2
Depends: other
`
	want := []debPackage{
		{"linux-base", ""}, {"linux-headers-6.12.117+deb12-common", "6.12.117-1~deb12u1"},
		{"linux-image-a", "1"}, {"linux-kbuild-6.12.117+deb12", ""}, {"gcc-12", ""},
	}
	if version, got := parseStanza(show); version != "6.12.117-1~deb12u1" || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v %v\nwant %v", version, got, want)
	}
	if version, got := parseStanza("Package: x\n"); version != "" || got != nil {
		t.Errorf("no Depends: got %v %v", version, got)
	}
}

func TestMatching(t *testing.T) {
	names := []string{
		"linux-image-5.10.0-9-amd64", "linux-image-5.10.0-46-rt-amd64", "linux-image-5.10.0-46-amd64",
		"linux-image-5.10.0--amd64", "linux-image-5.10.0-46-cloud-amd64", "linux-image-5.10.0-30-amd64",
		"linux-image-5.10.0-0.deb10.16-amd64", "linux-image-5.10.0-46-amd64-dbg", "linux-image-6.1.0-57-amd64",
	}
	want := []string{"linux-image-5.10.0-46-amd64", "linux-image-5.10.0-30-amd64", "linux-image-5.10.0-9-amd64"}
	if got := matching("linux-image-5.10.0-#-amd64", names); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := matching("linux-image-7.3.#-amd64", names); got != nil {
		t.Errorf("got %v; want none", got)
	}
}

func TestSourcesOf(t *testing.T) {
	targets := "Debian bookworm http://a/debian/\nDebian bookworm-updates http://a/debian/\n" +
		"Debian-Security bookworm-security http://b/sec/\nother thing http://c/\n"
	if _, own := sourcesOf("bookworm", targets); !own {
		t.Error("bookworm is not this system's own")
	}
	for suite, want := range map[string]string{
		"bullseye":         "http://a/debian/ bullseye main|http://b/sec/ bullseye-security main|",
		"trixie-backports": "http://a/debian/ trixie main|http://b/sec/ trixie-security main|http://a/debian/ trixie-backports main|",
	} {
		sources, own := sourcesOf(suite, targets)
		got := strings.ReplaceAll(sources, "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ", "")
		if got = strings.ReplaceAll(got, "\n", "|"); got != want || own {
			t.Errorf("%s: own %v, got  %s\nwant %s", suite, own, got, want)
		}
	}
	if sources, own := sourcesOf("bullseye", "Ubuntu noble http://u/\n"); sources != "" || own {
		t.Errorf("without a mirror of Debian: %q, own %v", sources, own)
	}
}

func TestRelocate(t *testing.T) {
	dir := t.TempDir()
	makefile := filepath.Join(dir, "Makefile")
	if err := relocate(dir); err == nil {
		t.Error("no Makefile, no error")
	}
	if err := os.WriteFile(makefile, []byte("include /usr/src/linux-headers-6-common/Makefile\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := relocate(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(makefile)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), "/usr/src") || !strings.HasSuffix(string(got), "../linux-headers-6-common/Makefile\n") {
		t.Errorf("got %s", got)
	}
}

func TestCopyImage(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, text := range map[string]string{"./boot/config-6": "no", "./boot/vmlinuz-6": "image"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "vmlinuz")
	sum, err := copyImage(tar.NewReader(bytes.NewReader(b.Bytes())), out)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "image" {
		t.Errorf("got %q", got)
	}
	// sha256sum of "image"
	if want := "6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d"; sum != want {
		t.Errorf("sum %s, want %s", sum, want)
	}
	if _, err := copyImage(tar.NewReader(bytes.NewReader(nil)), out); err == nil {
		t.Error("a package without an image was taken")
	}
}

// A kernel in the store is used as it is: no program is run for it.
func TestEnsureOffline(t *testing.T) {
	st := &Store{Root: t.TempDir()}
	k, err := Lookup(Default)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.State(k); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("empty store: %v", err)
	}
	dir := st.kernelDir(k.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	store := func(s State) {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, stateFile), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	known := State{Name: k.Name, Release: "6.12.1", Image: "vmlinuz", Headers: "h"}
	foreign := known
	foreign.Tools = "bullseye"
	store(foreign)
	if _, err := st.State(k); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("kernel without its compiler: %v", err)
	}
	store(known)
	t.Setenv("PATH", "")
	s, err := st.Ensure(context.Background(), k)
	if err != nil || s.Release != "6.12.1" || s.ImagePath() != filepath.Join(dir, "vmlinuz") {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestSourcesStamp(t *testing.T) {
	st := &Store{Root: t.TempDir()}
	kmod := filepath.Join(st.Root, "kmod")
	if err := os.Mkdir(kmod, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.sources("6"); err == nil {
		t.Error("no sources, no error")
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(kmod, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stamp := func(release string) string {
		s, _, err := st.sources(release)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	put("siglat.c", "a")
	first := stamp("6")
	put("siglat.mod.c", "generated")
	put("siglat.o", "generated")
	if stamp("6") != first {
		t.Error("what make leaves behind changes the stamp")
	}
	if stamp("7") == first {
		t.Error("the release does not change the stamp")
	}
	put("siglat.c", "b")
	if stamp("6") == first {
		t.Error("the source does not change the stamp")
	}
}

func TestCheckModule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.ko")
	if err := CheckModule(path, "6"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckModule(path, "6"); err == nil {
		t.Error("a text is a module")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckModule(self, "6"); err == nil || !strings.Contains(err.Error(), "no .modinfo") {
		t.Errorf("a program: %v", err)
	}
}

func TestFirstError(t *testing.T) {
	out := "make: entering\nsiglat.c:3:1: error: expected ';'\nsiglat.c:4:1: error: more\nmake: *** [x] Error 2\n"
	if got := firstError(out); got != "siglat.c:3:1: error: expected ';'" {
		t.Errorf("got %q", got)
	}
	if got := firstError("a\nb\nc\n"); got != "b; c" {
		t.Errorf("got %q", got)
	}
}
