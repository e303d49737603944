// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"siglat/cmd/internal/cli"
	"siglat/sigwait"
)

// resolveMode fills in whom the module's timer serves. A mode that is asked
// for, if only user, makes the screen that of Xenomai's latency.
func (o *options) resolveMode(c *cli.Command) error {
	o.config.Mode, o.xenomai = sigwait.Mode(o.mode.value), c.Changed("mode")
	if !o.xenomai || o.source.value == string(sigwait.SourceTimer) {
		return nil
	}
	if o.source.value == string(sigwait.SourceUser) {
		return cli.Usagef("--mode: wants the source kernel")
	}
	if o.clock.value != "monotonic" {
		return cli.Usagef("--mode: wants --clock monotonic, the clock of the timer")
	}
	if o.config.Mode == sigwait.ModeUser {
		return nil
	}
	wrong := []string{"cpu", "receiver", "busy", "segments", "blame", "break-above", "rr", "deadline", "other"}
	if o.config.Mode == sigwait.ModeIRQ {
		wrong = append(wrong, "fifo")
	}
	for _, flag := range wrong {
		if c.Changed(flag) {
			return cli.Usagef("--%s: not with --mode %s, in which the module receives on the timer's CPU (--timer-cpu)", flag, o.mode.value)
		}
	}
	if o.sendingPlace.value == "thread" {
		return cli.Usagef("--context thread: not with --mode %s, which sends no signals", o.mode.value)
	}
	return nil
}
