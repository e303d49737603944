// SPDX-License-Identifier: GPL-2.0-only

package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"siglat/cmd/siglab/internal/wire"
)

// Limits of the watchdog, in real time.
const (
	poll      = 20 * time.Millisecond // how often the two files are looked at
	bootIdle  = 90 * time.Second      // without a word before the command starts
	afterExit = 15 * time.Second      // from the last frame to the machine's end
)

// Handlers take what comes from the guest; nil ones drop it.
type Handlers struct {
	Stdout io.Writer
	Stderr io.Writer
	Tar    io.Writer
}

// A GuestError tells what went wrong in a guest, with the last lines of its
// console for the reader.
type GuestError struct {
	What  string
	Lines []string
}

func (e *GuestError) Error() string {
	if len(e.Lines) == 0 {
		return e.What + " (the console is empty)"
	}
	return e.What + "; console: " + strings.Join(e.Lines, " | ")
}

// Run boots the machine, waits for its end and returns the exit status of
// its command. A guest whose kernel complained, which came to no end, or
// whose channel is damaged is an error, whatever its command returned.
func Run(ctx context.Context, m Machine, timeout time.Duration, h Handlers) (int, error) {
	// The death signal is tied to the thread that starts the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stderr bytes.Buffer
	cmd := exec.Command(m.Emulator.Path, m.Args()...)
	cmd.Stdout, cmd.Stderr = &stderr, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return 0, fmt.Errorf("%s is missing (run scripts/deps.sh)", Program)
		}
		return 0, fmt.Errorf("start %s: %w", Program, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	f := &follower{handlers: h, consolePath: m.Console, channelPath: m.Channel}
	defer f.close()
	err := f.follow(ctx, ended, timeout, func() { _ = cmd.Process.Kill() })
	if err == nil {
		err = f.verdict()
	}
	if msg := strings.TrimSpace(stderr.String()); err != nil && msg != "" && !f.ready && ctx.Err() == nil {
		return 0, fmt.Errorf("%s: %s", Program, strings.ReplaceAll(msg, "\n", "; "))
	}
	return f.status, err
}

// A follower reads the two files that QEMU writes.
type follower struct {
	handlers                 Handlers
	consolePath, channelPath string
	consoleFile, channelFile *os.File
	console                  console
	decoder                  wire.Decoder
	ready, exited            bool
	status                   int
	failed                   string
	tarBytes, tarEnd         int64
}

// follow returns when the machine has ended, nil unless it had to be killed
// or its channel cannot be understood.
func (f *follower) follow(ctx context.Context, ended <-chan error, timeout time.Duration, kill func()) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	start := time.Now()
	progress := start
	stop := func(err error) error {
		kill()
		<-ended
		_, _ = f.readAll()
		return err
	}
	for {
		select {
		case <-ended:
			_, err := f.readAll()
			return err
		case <-ctx.Done():
			return stop(context.Cause(ctx))
		case <-tick.C:
		}
		more, err := f.readAll()
		if err != nil {
			return stop(err)
		}
		now := time.Now()
		if more {
			progress = now
		}
		switch {
		case now.Sub(start) > timeout:
			return f.hung(stop, fmt.Sprintf("no end after %v", timeout))
		case f.exited && now.Sub(progress) > afterExit:
			return f.hung(stop, "the machine did not stop")
		case !f.ready && now.Sub(progress) > bootIdle:
			return f.hung(stop, fmt.Sprintf("boot hangs: no word for %v", bootIdle))
		}
	}
}

func (f *follower) hung(stop func(error) error, what string) error {
	err := &GuestError{What: "guest killed: " + what}
	_ = stop(nil)
	err.Lines = f.console.last()
	if len(f.console.first) > 0 {
		err.Lines = f.console.first
	}
	return err
}

// verdict judges a machine that came to its end by itself.
func (f *follower) verdict() error {
	switch {
	case len(f.console.first) > 0 && f.failed == "":
		return &GuestError{"the guest's kernel reports trouble", f.console.first}
	case f.failed != "":
		return &GuestError{"guest: " + f.failed, f.console.last()}
	case !f.exited:
		return &GuestError{"the guest ended before its command", f.console.last()}
	case f.decoder.Pending() > 0:
		return fmt.Errorf("%w: %d bytes after the last frame", wire.ErrCorrupt, f.decoder.Pending())
	case f.tarBytes != f.tarEnd:
		return fmt.Errorf("results are not whole: %d of %d bytes came", f.tarBytes, f.tarEnd)
	}
	return nil
}

// readAll takes what is new in both files and tells whether there was any.
func (f *follower) readAll() (bool, error) {
	var buf [64 << 10]byte
	n, err := readNew(&f.consoleFile, f.consolePath, buf[:], f.console.feed)
	if err != nil {
		return false, fmt.Errorf("read console: %w", err)
	}
	m, err := readNew(&f.channelFile, f.channelPath, buf[:], f.decoder.Feed)
	if err != nil {
		return false, fmt.Errorf("read channel: %w", err)
	}
	for {
		frame, ok, err := f.decoder.Next()
		if err != nil {
			return true, err
		}
		if !ok {
			return n+m > 0, nil
		}
		if err := f.handle(frame); err != nil {
			return true, err
		}
	}
}

func (f *follower) handle(frame wire.Frame) error {
	var err error
	text := string(frame.Payload)
	switch frame.Kind {
	case wire.Ready:
		f.ready = true
	case wire.Stdout:
		err = write(f.handlers.Stdout, frame.Payload)
	case wire.Stderr:
		err = write(f.handlers.Stderr, frame.Payload)
	case wire.Tar:
		f.tarBytes += int64(len(frame.Payload))
		err = write(f.handlers.Tar, frame.Payload)
	case wire.TarEnd:
		f.tarEnd, err = strconv.ParseInt(text, 10, 64)
	case wire.Failed:
		f.failed = text
	case wire.Exit:
		f.exited = true
		f.status, err = strconv.Atoi(text)
	}
	return err
}

func write(w io.Writer, p []byte) error {
	if w == nil {
		return nil
	}
	_, err := w.Write(p)
	return err
}

// readNew opens the file once it exists and passes on what is new in it.
func readNew(f **os.File, path string, buf []byte, feed func([]byte)) (int, error) {
	if *f == nil {
		file, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		*f = file
	}
	total := 0
	for {
		n, err := (*f).Read(buf)
		if n > 0 {
			feed(buf[:n])
			total += n
		}
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

func (f *follower) close() {
	for _, file := range []*os.File{f.consoleFile, f.channelFile} {
		if file != nil {
			file.Close()
		}
	}
}
