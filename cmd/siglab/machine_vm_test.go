// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMachines runs the receivers' tests that need a machine of their own.
func TestMachines(t *testing.T) {
	program := filepath.Join(t.TempDir(), "sigwait.test")
	if out, err := exec.Command("go", "test", "-c", "-tags", "vm", "-o", program, "../../sigwait").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	for _, m := range []struct{ name, test, args string }{
		{"isolcpus=1", "TestIsolated", "isolcpus=1"},
		{"suspend", "TestSuspend", ""},
	} {
		t.Run(m.test, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := siglab(t, "exec", "--kernel-args", m.args, "--env", "SIGWAIT_TEST_MACHINE="+m.name, "--", program, "-test.v", "-test.run", "^"+m.test+"$")
			if code != 0 || !strings.Contains(stdout, "--- PASS: "+m.test) {
				t.Errorf("code %d, stdout %s, stderr %s", code, stdout, stderr)
			}
		})
	}
}
