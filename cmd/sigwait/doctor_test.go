// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"siglat/cmd/internal/cli"
	"siglat/cmd/sigwait/internal/doctor"
)

func absent(string) error { return fs.ErrNotExist }

func TestDoctor(t *testing.T) {
	root := fstest.MapFS{"sys/devices/system/cpu/online": &fstest.MapFile{Data: []byte("0-3\n")}}
	var text, asJSON bytes.Buffer
	if err := doctorCommand([]string{"--cpu", "3"}, root, absent, &text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bad      module             not loaded\n", "         remedy: sudo modprobe siglat", "unknown  governor           not known\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	err := doctorCommand([]string{"--json", "--strict"}, root, absent, &asJSON)
	var found []doctor.Finding
	if decodeErr := json.Unmarshal(asJSON.Bytes(), &found); decodeErr != nil || len(found) < 10 || found[0].Check != "module" {
		t.Errorf("%v: %s", decodeErr, &asJSON)
	}
	var code *cli.CodeError
	if !errors.As(err, &code) || code.Code != cli.ExitExceeded {
		t.Errorf("--strict: %v", err)
	}
	for _, args := range [][]string{{"--cpu", "4"}, {"--cpu", "-1"}, {"--nonsense"}, {"x"}} {
		err := doctorCommand(args, root, absent, &text)
		if !errors.As(err, &code) || code.Code != cli.ExitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestHints: who has just tried the command learns what would tell more.
func TestHints(t *testing.T) {
	o, err := parse(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.chooseSource(func(string) error { return fs.ErrNotExist }, &bytes.Buffer{})
	run, err := newRun(o)
	if err != nil {
		t.Fatal(err)
	}
	run.Clock, run.Effective.Policy, run.Effective.TimerCPU = "real", "other", -1
	text := hints(o, run)
	for _, want := range []string{"from a thread of this process", "modprobe siglat", "sigwait --fifo 80", "--cpu 0 --timer-cpu 0", "sigwait doctor"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	o.instead = nil // the user wanted it so, or the module is there
	if text := hints(o, run); text != "" {
		t.Errorf("hints for one who needs none: %s", text)
	}
}
