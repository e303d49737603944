// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

// An outcome is what became of one command.
type outcome struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// inGuest runs commands, JSON text of a list of command lines, one after the
// other and writes an outcome for each. Output goes to a file first: while a
// command measures, nothing else runs.
func inGuest(commands string, stdout io.Writer) error {
	debug.SetGCPercent(-1)
	var list [][]string
	if err := json.Unmarshal([]byte(commands), &list); err != nil {
		return fmt.Errorf("read the list of commands: %w", err)
	}
	dir, err := os.MkdirTemp("", "bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	enc := json.NewEncoder(stdout)
	for _, args := range list {
		out, err := runOne(args, filepath.Join(dir, "stdout"))
		if err == nil {
			err = enc.Encode(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func runOne(args []string, path string) (outcome, error) {
	f, err := os.Create(path)
	if err != nil {
		return outcome{}, err
	}
	defer f.Close()
	var errs bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = f, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	text, err := os.ReadFile(path)
	return outcome{string(text), errs.String(), cmd.ProcessState.ExitCode()}, err
}
