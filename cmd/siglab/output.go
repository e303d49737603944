// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// An output is standard output. It remembers the first failure, which is one
// of the command whoever wrote.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if err != nil {
		o.err = fmt.Errorf("write standard output: %w", err)
	}
	return n, o.err
}

// catchSIGPIPE makes a reader that has gone an error of writing, so that what
// was begun is cleaned up. It is caught and not ignored: programs that are
// started would inherit that.
func catchSIGPIPE() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
