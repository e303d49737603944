// SPDX-License-Identifier: GPL-2.0-only

// Package initramfs writes the initial file system of a guest in the cpio
// "newc" format (Documentation/driver-api/early-userspace/buffer-format.rst).
// Equal input gives equal bytes.
package initramfs

import (
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"
)

// File types and the bits of cpio modes.
const (
	modeDir  = 0o040000
	modeFile = 0o100000
	modeChar = 0o020000
	modeLink = 0o120000
)

// An entry is one file, folder, device or link.
type entry struct {
	mode         uint32
	data         []byte // content or link target
	source       string // host file with the content, if not data
	size         int64
	major, minor uint32
}

// An Archive collects files; the zero value is not usable, see [New].
type Archive struct {
	entries map[string]entry // by path without the leading slash
}

// New returns an archive with /dev/console, which the kernel opens for init.
func New() *Archive {
	a := &Archive{entries: map[string]entry{}}
	a.put("dev/console", entry{mode: modeChar | 0o600, major: 5, minor: 1})
	return a
}

// Bytes adds a file with the given content and permission bits.
func (a *Archive) Bytes(guest string, perm uint32, data []byte) {
	a.put(clean(guest), entry{mode: modeFile | perm&0o7777, data: data, size: int64(len(data))})
}

// Dir adds a folder; parents of what is added need not be.
func (a *Archive) Dir(guest string, perm uint32) {
	a.put(clean(guest), entry{mode: modeDir | perm&0o7777})
}

// Link adds a symbolic link.
func (a *Archive) Link(guest, target string) {
	a.put(clean(guest), entry{mode: modeLink | 0o777, data: []byte(target), size: int64(len(target))})
}

// Host adds a regular file of the host, links followed, with its permission
// bits. The content is read by [Archive.Write].
func (a *Archive) Host(guest, host string) error {
	info, err := os.Stat(host)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("pack %s: not a regular file", host)
	}
	if info.Size() > 1<<31 {
		return fmt.Errorf("pack %s: larger than 2 GiB", host)
	}
	a.put(clean(guest), entry{mode: modeFile | uint32(info.Mode().Perm()), source: host, size: info.Size()})
	return nil
}

// Has tells whether a path of the guest is in the archive already.
func (a *Archive) Has(guest string) bool {
	_, ok := a.entries[clean(guest)]
	return ok
}

// Size returns the number of bytes of all files.
func (a *Archive) Size() int64 {
	var n int64
	for _, e := range a.entries {
		n += e.size
	}
	return n
}

func clean(guest string) string { return strings.TrimPrefix(path.Clean("/"+guest), "/") }

func (a *Archive) put(name string, e entry) {
	if name == "" {
		return
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := a.entries[dir]; !ok {
			a.entries[dir] = entry{mode: modeDir | 0o755}
		}
	}
	a.entries[name] = e
}

// Write writes the archive: entries sorted by path, owned by root, times zero.
func (a *Archive) Write(w io.Writer) error {
	names := make([]string, 0, len(a.entries))
	for name := range a.entries {
		names = append(names, name)
	}
	sort.Strings(names) // a folder sorts before what is in it
	cw := &countingWriter{w: w}
	for i, name := range names {
		if err := writeEntry(cw, uint32(i+1), name, a.entries[name]); err != nil {
			return fmt.Errorf("write initramfs: /%s: %w", name, err)
		}
	}
	if err := writeEntry(cw, 0, "TRAILER!!!", entry{}); err != nil {
		return fmt.Errorf("write initramfs: %w", err)
	}
	return nil
}

func writeEntry(w *countingWriter, inode uint32, name string, e entry) error {
	links := 1
	if e.mode&modeDir != 0 && e.mode&modeFile != modeFile {
		links = 2
	}
	_, err := fmt.Fprintf(w, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		inode, e.mode, 0, 0, links, 0, e.size, 0, 0, e.major, e.minor, len(name)+1, 0, name)
	if err != nil {
		return err
	}
	if err := w.pad(); err != nil {
		return err
	}
	if err := writeContent(w, e); err != nil {
		return err
	}
	return w.pad()
}

func writeContent(w io.Writer, e entry) error {
	if e.source == "" {
		_, err := w.Write(e.data)
		return err
	}
	f, err := os.Open(e.source)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(w, io.LimitReader(f, e.size))
	if err == nil && n != e.size {
		err = fmt.Errorf("%s became shorter while it was read", e.source)
	}
	return err
}

// A countingWriter knows its position, for padding to four bytes.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *countingWriter) pad() error {
	_, err := c.Write(make([]byte, -c.n&3))
	return err
}
