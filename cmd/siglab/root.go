// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// findRoot returns the source tree whose build/ folder holds kernels and
// modules: the one that this program was built into (ROOT/build/bin), or the
// one around the working folder.
func findRoot() (string, error) {
	var starts []string
	if exe, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(exe))
	}
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	for _, dir := range starts {
		for {
			if isRoot(dir) {
				return dir, nil
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return "", errors.New("no siglat source tree around this program or the working folder (build with make, run in the tree)")
}

func isRoot(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.HasPrefix(mod, []byte("module siglat\n")) {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, "kmod"))
	return err == nil
}
