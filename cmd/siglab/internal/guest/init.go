// SPDX-License-Identifier: GPL-2.0-only

// Package guest is the init program of a virtual machine of the lab: it
// mounts what programs expect, loads the module, runs one command, sends its
// output, status and results to the host, and ends the machine.
package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"siglat/cmd/siglab/internal/wire"
)

// Main runs as process 1 and never returns.
func Main() {
	// A collection would run beside the measurement; what lives here is small.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(128 << 20)
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "siglab init: %v\n", err)
	}
	unix.Sync()
	err := unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	fmt.Fprintf(os.Stderr, "siglab init: reboot: %v\n", err)
	os.Exit(1) // the kernel panics, and panic=-1 resets the machine
}

func run() error {
	if err := mountAll(); err != nil {
		return err
	}
	tty, err := openChannel()
	if err != nil {
		return err
	}
	defer drain(tty)
	send := wire.NewSender(tty)
	if err := serve(send); err != nil {
		_ = send.Send(wire.Failed, []byte(err.Error()))
		return err
	}
	return nil
}

func serve(send *wire.Sender) error {
	data, err := os.ReadFile(wire.JobPath)
	if err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	var job wire.Job
	if err := json.Unmarshal(data, &job); err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	if err := prepare(); err != nil {
		return err
	}
	if job.Module {
		if err := loadModule(job.ModuleArgs); err != nil {
			return err
		}
	}
	if job.Settle {
		settle()
	}
	if err := send.Send(wire.Ready, []byte(release())); err != nil {
		return err
	}
	status, err := execute(job, send)
	if err != nil {
		return err
	}
	if job.Results {
		if err := sendTree(send, wire.ResultsPath); err != nil {
			return err
		}
	}
	if job.Module {
		if err := unloadModule(); err != nil {
			return err
		}
	}
	if err := reportLeaks(); err != nil {
		return err
	}
	return send.Send(wire.Exit, []byte(strconv.Itoa(status)))
}

// settle waits until the kernel has left its early clock source, half a second
// after boot, so that the clock is not exchanged while a command measures.
// With another hardware there may be no early one; it gives up after 5 s.
func settle() {
	const path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	for range 50 {
		source, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(source)) != "tsc-early" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func loadModule(args string) error {
	f, err := os.Open(wire.ModulePath)
	if err != nil {
		return fmt.Errorf("load module: %w", err)
	}
	defer f.Close()
	if err := unix.FinitModule(int(f.Fd()), args, 0); err != nil {
		return fmt.Errorf("load module with parameters %q: %w (see the console)", args, err)
	}
	return nil
}

// unloadModule removes the module when all programs are gone: what then
// still holds it is a leak, and a lost timer would crash the machine.
func unloadModule() error {
	var err error
	for range 50 {
		err = unix.DeleteModule("siglat", unix.O_NONBLOCK)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		time.Sleep(20 * time.Millisecond) // a killed process is still closing its files
	}
	return fmt.Errorf("unload module after all programs ended: %w", err)
}

func release() string {
	data, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(string(data))
}
