// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestModeRefuses(t *testing.T) {
	good := Config{Source: SourceKernel, Mode: ModeKthread, Device: "/nonexistent", CPU: AnyCPU, TimerCPU: AnyCPU,
		Period: time.Millisecond, Count: 1, Clock: ClockMonotonic, Context: ContextAuto}
	for _, c := range []struct {
		want   string
		change func(*Config)
	}{
		{"/nonexistent: device does not exist", func(*Config) {}},
		{"/nonexistent: device does not exist", func(c *Config) { c.Policy, c.Priority = PolicyFIFO, 99 }},
		{`mode "x": use user, kthread or irq`, func(c *Config) { c.Mode, c.Receiver = "x", "sigwait" }},
		{"mode kthread: needs the source kernel", func(c *Config) { c.Source = SourceUser }},
		{"mode kthread: has no receiver", func(c *Config) { c.Receiver = "sigwait" }},
		{"mode kthread: has no receiver", func(c *Config) { c.CPU = 0 }},
		{"mode irq: has no receiver", func(c *Config) { c.Mode, c.Segments = ModeIRQ, true }},
		{"mode kthread: its stamps are of the clock monotonic", func(c *Config) { c.Clock = ClockRealtime }},
		{"mode kthread: context thread is for signals", func(c *Config) { c.Context = ContextThread }},
		{"mode kthread: policy rr", func(c *Config) { c.Policy, c.Priority = PolicyRR, 5 }},
		{"mode irq: policy fifo", func(c *Config) { c.Mode, c.Policy, c.Priority = ModeIRQ, PolicyFIFO, 5 }},
	} {
		config := good
		c.change(&config)
		_, err := Run(context.Background(), config, func(Effective) {}, func([]Sample) {})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", config, err, c.want)
		}
	}
}
