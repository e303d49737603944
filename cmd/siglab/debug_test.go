// SPDX-License-Identifier: GPL-2.0-only

//go:build debug

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"siglat/cmd/siglab/internal/kernel"
)

// TestDebugKernel loads a module with deliberate faults on every debug kernel:
// each is reported, and the run fails by it although its program does not.
func TestDebugKernel(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	store := &kernel.Store{Root: root}
	for _, k := range kernel.Debug {
		t.Run(k.Name, func(t *testing.T) {
			state, err := store.State(k)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/faults")); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("make", "-C", state.HeadersPath(), "M="+dir, "modules")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			console := filepath.Join(dir, "console")
			program := filepath.Join(root, "build/bin/siglab")
			out, err := exec.Command(program, "exec", "--kernel", k.Name, "--console", console,
				"--module", filepath.Join(dir, "faults.ko"), "--", program, "--version").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "reports trouble") {
				t.Errorf("siglab: %v, %s", err, out)
			}
			checkReports(t, console)
		})
	}
}

func checkReports(t *testing.T, console string) {
	t.Helper()
	log, err := os.ReadFile(console)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"WARNING: possible circular locking dependency detected",
		"BUG: sleeping function called from invalid context",
		"ODEBUG: free active (active state 0) object: ",
		"BUG: KASAN: slab-use-after-free in faults_init",
		"refcount_t: ",
		"UBSAN: shift-out-of-bounds in ",
		"list_del corruption",
		"kmemleak: 1 new suspected memory leaks",
		"faults_init", // where it was allocated
	} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the kernel did not say %q; its messages:\n%s", want, log)
		}
	}
}
