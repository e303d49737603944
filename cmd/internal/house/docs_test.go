// SPDX-License-Identifier: GPL-2.0-only

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented wants a comment for every exported name of every package,
// and one for each package. A comment of a group stands for the names in it.
func TestDocumented(t *testing.T) {
	packages := map[string]bool{}
	for _, path := range sources(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set, f := parse(t, path)
		dir := filepath.Dir(path)
		packages[dir] = packages[dir] || f.Doc != nil
		for _, d := range f.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: exported %s has no comment", set.Position(d.Pos()), name)
			}
		}
	}
	for dir, documented := range packages {
		if !documented {
			t.Errorf("%s: no package comment", dir)
		}
	}
}

func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !obvious[d.Name.Name] {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

// obvious are the methods whose meaning their interface tells.
var obvious = map[string]bool{"Error": true, "Unwrap": true, "String": true, "Type": true, "Set": true, "Len": true, "Less": true, "Swap": true}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	id, ok := t.(*ast.Ident)
	return !ok || id.IsExported()
}

func undocumentedSpecs(d *ast.GenDecl) []string {
	var out []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				out = append(out, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					out = append(out, n.Name)
				}
			}
		}
	}
	return out
}

// TestRules checks that the rules above catch what they are for.
func TestRules(t *testing.T) {
	for src, want := range map[string]int{
		"func F() {}":                     1,
		"// F does.\nfunc F() {}":         0,
		"func f() {}":                     0,
		"type T int":                      1,
		"type t int\nfunc (t) M() {}":     0,
		"// T is.\ntype T int":            0,
		"var (\n\tA = 1\n\tB = 2 // b\n)": 1,
		"// These.\nconst (\n\tA = 1\n)":  0,
		"// T is.\ntype T int\nfunc (*T) M() {}\nfunc (T) Error() string { return \"\" }": 1,
	} {
		f := parseText(t, "package p\n\n"+src+"\n")
		got := 0
		for _, d := range f.Decls {
			got += len(undocumented(d))
		}
		if got != want {
			t.Errorf("%q: %d undocumented names, want %d", src, got, want)
		}
	}
}

func parseText(t *testing.T, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
