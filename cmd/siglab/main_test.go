// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"siglab": main})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// For scripts that empty PATH; the program lies outside of the
			// source tree, so that no tree is found around it.
			program, err := exec.LookPath("siglab")
			env.Setenv("SIGLAB", program)
			return err
		},
	})
}
