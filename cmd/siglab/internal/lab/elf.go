// SPDX-License-Identifier: GPL-2.0-only

package lab

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// libraryDirs is where the dynamic linker of Debian and Fedora looks.
var libraryDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

// libraries returns the host files that a program needs at run time: its
// dynamic linker and shared libraries; none for a static program. A file that
// is no program for amd64 is an error.
func libraries(program string) ([]string, error) {
	needed := map[string]bool{}
	var files []string
	interp, err := walkLibraries(program, nil, needed, &files)
	if err != nil {
		return nil, err
	}
	if interp != "" {
		files = append(files, interp)
	}
	return files, nil
}

func walkLibraries(path string, dirs []string, seen map[string]bool, files *[]string) (string, error) {
	f, err := elf.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !isELF(path) {
		return "", fmt.Errorf("pack %s: not a program (an ELF file is needed)", path)
	}
	if err != nil {
		return "", fmt.Errorf("pack %s: %w", path, err)
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 {
		return "", fmt.Errorf("pack %s: a program for %v, not for amd64", path, f.Machine)
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		paths, _ := f.DynString(tag)
		for _, list := range paths {
			list = strings.ReplaceAll(list, "$ORIGIN", filepath.Dir(path))
			dirs = append(dirs[:len(dirs):len(dirs)], filepath.SplitList(list)...)
		}
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return "", fmt.Errorf("pack %s: %w", path, err)
	}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		lib, err := findLibrary(name, dirs)
		if err != nil {
			return "", fmt.Errorf("pack %s: %w (link it statically: gcc -static, CGO_ENABLED=0)", path, err)
		}
		*files = append(*files, lib)
		if _, err := walkLibraries(lib, dirs, seen, files); err != nil {
			return "", err
		}
	}
	return interpreter(f)
}

func findLibrary(name string, dirs []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range append(dirs[:len(dirs):len(dirs)], libraryDirs...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("shared library %s not found", name)
}

func interpreter(f *elf.File) (string, error) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil {
				return "", err
			}
			return strings.TrimRight(string(data), "\x00"), nil
		}
	}
	return "", nil
}

// isELF tells whether a file starts like a program or library.
func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var start [4]byte
	_, err = f.ReadAt(start[:], 0)
	return err == nil && string(start[:]) == elf.ELFMAG
}

// compiler returns what an object file says of its compiler, "GCC: (Debian
// 12.2.0-14) 12.2.0"; empty where it says nothing.
func compiler(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("read module %s: %w", path, err)
	}
	defer f.Close()
	section := f.Section(".comment")
	if section == nil {
		return "", nil
	}
	data, err := section.Data()
	if err != nil {
		return "", fmt.Errorf("read module %s: %w", path, err)
	}
	text, _, _ := strings.Cut(strings.TrimLeft(string(data), "\x00"), "\x00")
	return text, nil
}
