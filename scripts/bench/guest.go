// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// An outcome is what became of one command.
type outcome struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
	File   string `json:"file,omitempty"` // what it wrote to the file scratch
}

// A command is what to run in the guest.
type command struct {
	Args  []string `json:"args"`
	Bound bool     `json:"bound,omitempty"` // to CPU 0
}

// inGuest runs commands, JSON text of a list of command lines, one after the
// other and at the end writes an outcome for each. Output goes to a file first:
// while a command measures, nothing else runs, and what the host takes to read
// does not show in the next one.
func inGuest(commands string, stdout io.Writer) (err error) {
	debug.SetGCPercent(-1)
	var list []command
	if err := json.Unmarshal([]byte(commands), &list); err != nil {
		return fmt.Errorf("read the list of commands: %w", err)
	}
	dir, err := os.MkdirTemp("", "bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all bytes.Buffer
	enc := json.NewEncoder(&all)
	defer func() {
		_, werr := all.WriteTo(stdout)
		err = errors.Join(err, werr)
	}()
	for _, c := range list {
		out, err := runOne(c, dir)
		if err == nil {
			err = enc.Encode(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func runOne(c command, dir string) (outcome, error) {
	path, file := filepath.Join(dir, "stdout"), filepath.Join(dir, "file")
	f, err := os.Create(path)
	if err != nil {
		return outcome{}, err
	}
	defer f.Close()
	var errs bytes.Buffer
	var args []string
	for _, a := range c.Args {
		args = append(args, strings.ReplaceAll(a, scratch, file))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = f, &errs
	if err := start(cmd, c.Bound); err != nil {
		return outcome{}, err
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	text, err := os.ReadFile(path)
	more, ferr := os.ReadFile(file)
	if errors.Is(ferr, fs.ErrNotExist) {
		ferr = nil
	}
	_ = os.Remove(file)
	return outcome{string(text), errs.String(), cmd.ProcessState.ExitCode(), string(more)}, errors.Join(err, ferr)
}

// start starts a command, which inherits the affinity of the thread that
// starts it.
func start(cmd *exec.Cmd, bound bool) error {
	if !bound {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, first unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	first.Set(0)
	if err := unix.SchedSetaffinity(0, &first); err != nil {
		return err
	}
	return errors.Join(cmd.Start(), unix.SchedSetaffinity(0, &before))
}
