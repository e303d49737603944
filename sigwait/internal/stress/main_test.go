// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "worker":
		os.Exit(work())
	case "heir":
		os.Exit(inherit())
	}
	os.Exit(m.Run())
}

// leaveNothing waits until the module is at rest: no open file, no timer, no
// thread of its own.
func leaveNothing() error {
	var err error
	for range 500 {
		if err = leftovers(); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

func leftovers() error {
	references, err := os.ReadFile("/sys/module/siglat/refcnt")
	if err != nil {
		return err
	}
	list, err := os.ReadFile("/proc/timer_list")
	if err != nil {
		return err
	}
	threads := 0
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		if comm, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(comm), "siglat/") {
			threads++
		}
	}
	timers := bytes.Count(list, []byte("siglat_expire"))
	if n := strings.TrimSpace(string(references)); n != "0" || timers+threads != 0 {
		return errors.New(fmt.Sprint("left: references ", n, ", timers ", timers, ", threads ", threads))
	}
	return nil
}
