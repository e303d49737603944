// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCheckPolicy(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		policy   Policy
		priority int
		deadline Deadline
		ok       bool
	}{
		{"", 0, Deadline{}, true},
		{PolicyOther, 0, Deadline{}, true},
		{PolicyOther, 1, Deadline{}, false},
		{PolicyFIFO, 1, Deadline{}, true},
		{PolicyRR, 99, Deadline{}, true},
		{PolicyFIFO, 0, Deadline{}, false},
		{PolicyFIFO, 100, Deadline{}, false},
		{PolicyFIFO, 1, Deadline{ms, ms, ms}, false},
		{PolicyDeadline, 0, Deadline{ms, 2 * ms, 3 * ms}, true},
		{PolicyDeadline, 0, Deadline{ms, ms, ms}, true},
		{PolicyDeadline, 0, Deadline{1023, ms, ms}, false},
		{PolicyDeadline, 0, Deadline{2 * ms, ms, 3 * ms}, false},
		{PolicyDeadline, 0, Deadline{ms, 3 * ms, 2 * ms}, false},
		{PolicyDeadline, 0, Deadline{}, false},
		{PolicyDeadline, 1, Deadline{ms, ms, ms}, false},
		{"x", 0, Deadline{}, false},
	} {
		cfg := Config{Policy: c.policy, Priority: c.priority, Deadline: c.deadline}
		if err := cfg.checkPolicy(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// deviceFile puts a file in the place of the device.
func deviceFile(t *testing.T, path string) {
	t.Helper()
	old := dmaLatencyDevice
	dmaLatencyDevice = path
	t.Cleanup(func() { dmaLatencyDevice = old })
}

func TestDMALatencyIsWrittenAndReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "device")
	if err := os.WriteFile(path, []byte("abcdefgh"), 0o600); err != nil {
		t.Fatal(err)
	}
	deviceFile(t, path)
	c := base()
	us := int32(12)
	c.DMALatencyUS = &us
	var at int32 = -1
	res, err := Run(context.Background(), c, func(e Effective) { at = *e.DMALatencyUS }, func([]Sample) {})
	if err != nil || at != us || res.Effective.DMALatencyUS == nil || *res.Effective.DMALatencyUS != us {
		t.Errorf("%+v, at the start %d, %v", res.Effective, at, err)
	}
	if b, err := os.ReadFile(path); err != nil || binary.NativeEndian.Uint32(b) != 12 || string(b[4:]) != "efgh" {
		t.Errorf("written %q, %v", b, err)
	}
}

func TestDMALatencyRefused(t *testing.T) {
	deviceFile(t, filepath.Join(t.TempDir(), "none"))
	c := base()
	c.DMALatencyUS = new(int32)
	if _, err := Run(context.Background(), c, func(Effective) { t.Error("started") }, nil); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	deviceFile(t, t.TempDir()) // a folder cannot be opened to write
	if _, err := Run(context.Background(), c, func(Effective) { t.Error("started") }, nil); err == nil || !strings.Contains(err.Error(), "DMA latency 0 us") {
		t.Error(err)
	}
}
