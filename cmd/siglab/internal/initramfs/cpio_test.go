// SPDX-License-Identifier: GPL-2.0-only

package initramfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A record is one file as an independent reading of the format finds it.
type record struct {
	name         string
	mode         uint64
	nlink, mtime uint64
	data         string
	major, minor uint64
}

// parse reads a newc archive after the kernel's buffer-format.rst.
func parse(b []byte) ([]record, error) {
	var out []record
	inodes := map[uint64]bool{}
	pos := 0
	for {
		if len(b) < pos+110 || string(b[pos:pos+6]) != "070701" {
			return nil, fmt.Errorf("no header at %d", pos)
		}
		var field [13]uint64
		for i := range field {
			v, err := strconv.ParseUint(string(b[pos+6+8*i:pos+14+8*i]), 16, 32)
			if err != nil {
				return nil, err
			}
			field[i] = v
		}
		nameAt := pos + 110
		name := string(b[nameAt : nameAt+int(field[11])-1])
		dataAt := (nameAt + int(field[11]) + 3) &^ 3
		end := dataAt + int(field[6])
		if b[nameAt+int(field[11])-1] != 0 || field[12] != 0 || field[2]+field[3] != 0 {
			return nil, fmt.Errorf("%s: bad name end, checksum or owner", name)
		}
		if name == "TRAILER!!!" {
			if (end+3)&^3 != len(b) {
				return nil, fmt.Errorf("%d bytes after the trailer", len(b)-end)
			}
			return out, nil
		}
		if inodes[field[0]] {
			return nil, fmt.Errorf("%s: inode %d twice", name, field[0])
		}
		inodes[field[0]] = true
		out = append(out, record{name, field[1], field[4], field[5], string(b[dataAt:end]), field[9], field[10]})
		pos = (end + 3) &^ 3
	}
}

func sample(t *testing.T) *Archive {
	t.Helper()
	host := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(host, []byte("#!content"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := New()
	a.Bytes("/etc/deep/er/file", 0o600, []byte("x"))
	a.Bytes("empty", 0o644, nil)
	a.Link("/link", "etc/deep")
	a.Dir("work", 0o1777)
	if err := a.Host("/bin/../init", host); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := sample(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []record{
		{"dev", 0o40755, 2, 0, "", 0, 0},
		{"dev/console", 0o20600, 1, 0, "", 5, 1},
		{"empty", 0o100644, 1, 0, "", 0, 0},
		{"etc", 0o40755, 2, 0, "", 0, 0},
		{"etc/deep", 0o40755, 2, 0, "", 0, 0},
		{"etc/deep/er", 0o40755, 2, 0, "", 0, 0},
		{"etc/deep/er/file", 0o100600, 1, 0, "x", 0, 0},
		{"init", 0o100755, 1, 0, "#!content", 0, 0},
		{"link", 0o120777, 1, 0, "etc/deep", 0, 0},
		{"work", 0o41777, 2, 0, "", 0, 0},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestDeterministic(t *testing.T) {
	var a, b bytes.Buffer
	if err := sample(t).Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := sample(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("equal archives have different bytes")
	}
}

func TestHostErrors(t *testing.T) {
	a := New()
	if err := a.Host("/x", t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: got %v", err)
	}
	file := filepath.Join(t.TempDir(), "f")
	if err := a.Host("/x", file); err == nil {
		t.Error("a missing file was packed")
	}
	if err := os.WriteFile(file, []byte("long"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := a.Host("/x", file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("s"), 0o644); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.Write(&b); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("shrunk file: got %v", err)
	}
}
