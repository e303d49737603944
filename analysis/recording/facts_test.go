// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"strings"
	"testing"
)

func TestSetupDiffers(t *testing.T) {
	limit := int32(0)
	a := &Run{Effective: Effective{Policy: "other"}, Config: Config{PeriodNS: 1e6}, GoVersion: "go1.26"}
	b := &Run{Effective: Effective{Policy: "deadline", DMALatencyUS: &limit, Deadline: &Deadline{2e5, 5e5, 1e6}}, Config: Config{PeriodNS: 1e6}}
	if got, want := strings.Join(Differing(a.Setup(), b.Setup()), "|"), "policy: other, deadline|deadline: none, 200µs:500µs:1ms|DMA latency: no limit, 0 us"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Differing(a.Setup(), a.Setup()); len(got) != 0 {
		t.Errorf("against itself: %v", got)
	}
	// Of an import nothing is known.
	if got := Differing(b.Setup(), (&Run{}).Setup()); len(got) != 0 {
		t.Errorf("against nothing: %v", got)
	}
	b.GoVersion = "go1.27"
	b.Host.Lab = map[string]string{"module_compiler": "GCC: 13"}
	a.Host.Lab = map[string]string{"module_compiler": "GCC: 12"}
	if got, want := strings.Join(Differing(a.Facts(), b.Facts()), "|"), "Go version: go1.26, go1.27|lab module_compiler: GCC: 12, GCC: 13"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
