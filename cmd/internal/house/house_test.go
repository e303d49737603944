// SPDX-License-Identifier: GPL-2.0-only

// Package house holds no code, only the tests of what all code of this
// repository keeps to.
package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root         = "../../.."
	licence      = "SPDX-License-Identifier: GPL-2.0-only"
	maxFileLines = 300
	maxFuncLines = 70
)

// sources returns the repository's files of the given extensions, relative to
// its root. What is built or fetched, and hidden, is left out.
func sources(t *testing.T, extensions ...string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || path == "build"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		for _, e := range extensions {
			if filepath.Ext(path) == e {
				files = append(files, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parse(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return set, f
}

func TestLicenceLine(t *testing.T) {
	files := sources(t, ".go", ".s", ".c", ".h", ".sh")
	if len(files) < 20 {
		t.Fatalf("only %d source files found", len(files))
	}
	for _, path := range files {
		b, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitN(b, []byte("\n"), 3)
		if !bytes.Contains(lines[0], []byte(licence)) && !(bytes.HasPrefix(lines[0], []byte("#!")) && len(lines) > 1 && bytes.Contains(lines[1], []byte(licence))) {
			t.Errorf("%s: does not start with %s", path, licence)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, path := range sources(t, ".go") {
		set, f := parse(t, path)
		if n := set.File(f.FileStart).LineCount(); n > maxFileLines {
			t.Errorf("%s: %d lines, at most %d", path, n, maxFileLines)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !strings.HasSuffix(path, "_test.go") {
				first, last := set.Position(fn.Pos()).Line, set.Position(fn.End()).Line
				if n := last - first + 1; n > maxFuncLines {
					t.Errorf("%s:%d: %s has %d lines, at most %d", path, first, fn.Name.Name, n, maxFuncLines)
				}
			}
		}
	}
}

// layers lists, for the packages below a folder, the folders of this module
// that they may import.
var layers = map[string][]string{
	"analysis": {"analysis"},
	"plots":    {"plots", "analysis"},
	"sigwait":  {"sigwait"},
	"cmd":      {"cmd", "plots", "analysis", "sigwait"},
}

func TestImports(t *testing.T) {
	for _, path := range sources(t, ".go") {
		top, _, _ := strings.Cut(path, "/")
		allowed, known := layers[top]
		_, f := parse(t, path)
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if rest, ours := strings.CutPrefix(name, "siglat/"); ours && known {
				to, _, _ := strings.Cut(rest, "/")
				if !slices.Contains(allowed, to) {
					t.Errorf("%s: imports %s; %s may import %s only", path, name, top, strings.Join(allowed, ", "))
				}
			}
			if name == "C" {
				t.Errorf("%s: imports C; this module is built without cgo", path)
			}
			if !strings.HasPrefix(path, rawFolder) && (name == "unsafe" || name == "golang.org/x/sys/cpu") {
				t.Errorf("%s: imports %s, which belongs in %s", path, name, rawFolder)
			}
		}
	}
}

// rawFolder alone may hold unsafe code, raw system calls and assembly.
const rawFolder = "sigwait/internal/sys"

var rawCalls = []string{"Syscall", "Syscall6", "RawSyscall", "RawSyscall6", "RawSyscallNoError", "SyscallNoError", "RawVforkSyscall"}

func TestRawCode(t *testing.T) {
	for _, path := range sources(t, ".s") {
		if !strings.HasPrefix(path, rawFolder) {
			t.Errorf("%s: assembly belongs in %s", path, rawFolder)
		}
	}
	for _, path := range sources(t, ".go") {
		if strings.HasPrefix(path, rawFolder) {
			continue
		}
		set, f := parse(t, path)
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && (pkg.Name == "unix" || pkg.Name == "syscall") && slices.Contains(rawCalls, sel.Sel.Name) {
				t.Errorf("%s: raw system calls belong in %s", set.Position(n.Pos()), rawFolder)
			}
			return true
		})
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					t.Errorf("%s: linkname belongs in %s", set.Position(c.Pos()), rawFolder)
				}
			}
		}
	}
}
