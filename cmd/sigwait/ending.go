// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// ending returns a context that ends with SIGINT, SIGTERM or a closed
// terminal (SIGHUP). A recorded run goes on without its terminal: then
// hangup becomes true instead. Signals that whoever started this process
// ignores, as nohup(1) does, stay ignored.
func ending(ctx context.Context, recorded bool) (_ context.Context, hangup *atomic.Bool, stop func()) {
	// A reader that has seen enough is told by EPIPE.
	signal.Ignore(unix.SIGPIPE)
	hangup = new(atomic.Bool)
	ends := slices.DeleteFunc([]os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP}, signal.Ignored)
	if len(ends) == 0 { // would stand for all signals
		return ctx, hangup, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	came := make(chan os.Signal, len(ends))
	signal.Notify(came, ends...)
	go func() {
		for s := range came {
			if s == unix.SIGHUP && recorded {
				hangup.Store(true)
				continue
			}
			cancel()
		}
	}()
	return ctx, hangup, func() {
		signal.Stop(came)
		close(came)
		cancel()
	}
}
