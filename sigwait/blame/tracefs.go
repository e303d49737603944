// SPDX-License-Identifier: GPL-2.0-only

package blame

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tracefsPath is where tracefs is mounted.
const tracefsPath = "/sys/kernel/tracing"

const (
	instancePrefix = "siglat-" // before the number of the process
	instanceSizeKB = "2048"    // for each CPU
)

// A tracefs is an instance of the kernel's own tracer that records the same as
// the module's probes, at several times the cost.
type tracefs struct {
	dir   string
	pipes []int // trace_pipe_raw of each CPU
	cpus  []*converter
	page  []byte
}

// openTracefs makes an instance for CPUs. It needs root. An instance of a
// process that was killed is removed.
func openTracefs(cpus []int) (*tracefs, error) {
	instances := filepath.Join(tracefsPath, "instances")
	if err := removeOrphans(instances); err != nil {
		return nil, err
	}
	t := &tracefs{dir: filepath.Join(instances, instancePrefix+strconv.Itoa(os.Getpid())), page: make([]byte, 16*os.Getpagesize())}
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return nil, fmt.Errorf("trace: %w: needs root and tracefs (mount -t tracefs tracefs %s)", err, tracefsPath)
	}
	if err := t.begin(cpus); err != nil {
		return nil, errors.Join(fmt.Errorf("trace: %w", err), t.close())
	}
	return t, nil
}

// removeOrphans removes instances whose process does not live any more.
func removeOrphans(instances string) error {
	found, err := filepath.Glob(filepath.Join(instances, instancePrefix+"*"))
	for _, dir := range found {
		pid, perr := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), instancePrefix))
		if perr == nil && (pid == os.Getpid() || unix.Kill(pid, 0) == unix.ESRCH) {
			err = errors.Join(err, (&tracefs{dir: dir}).close())
		}
	}
	return err
}

func (t *tracefs) write(file, text string) error {
	return os.WriteFile(filepath.Join(t.dir, file), []byte(text), 0)
}

func (t *tracefs) begin(cpus []int) error {
	formats := map[uint16]*format{}
	err := errors.Join(t.write("tracing_on", "0"), t.write("trace_clock", "mono"), t.write("buffer_size_kb", instanceSizeKB), t.write("tracing_cpumask", cpuMask(cpus)))
	for i, e := range events {
		f, ferr := readFormat(t.dir, i)
		if errors.Is(ferr, fs.ErrNotExist) && !e.needed {
			continue
		}
		if err = errors.Join(err, ferr); err != nil {
			return err
		}
		formats[f.id] = f
		err = errors.Join(err, t.write(filepath.Join("events", e.name, "enable"), "1"))
	}
	for _, cpu := range cpus {
		path := filepath.Join(t.dir, "per_cpu", "cpu"+strconv.Itoa(cpu), "trace_pipe_raw")
		pipe, perr := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if perr != nil {
			err = errors.Join(err, fmt.Errorf("open %s: %w", path, perr))
			continue
		}
		t.pipes, t.cpus = append(t.pipes, pipe), append(t.cpus, &converter{formats: formats})
	}
	if err != nil {
		return err
	}
	return t.write("tracing_on", "1")
}

// cpuMask writes CPUs as the kernel reads them: 32-bit words in hexadecimal
// from the highest on, with commas between.
func cpuMask(cpus []int) string {
	var words [32]uint32
	for _, cpu := range cpus {
		words[cpu/32] |= 1 << (cpu % 32)
	}
	text := ""
	for i := len(words) - 1; i >= 0; i-- {
		switch {
		case text != "":
			text += fmt.Sprintf(",%08x", words[i])
		case words[i] != 0 || i == 0:
			text = fmt.Sprintf("%x", words[i])
		}
	}
	return text
}

// fill takes what is there.
func (t *tracefs) fill(h *history, i int) (lost uint64, err error) {
	c := t.cpus[i]
	for {
		n, err := unix.Read(t.pipes[i], t.page)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN), err == nil && n <= 0:
			return lost, nil
		case err != nil:
			return lost, fmt.Errorf("read the trace of CPU %d: %w", h.cpu, err)
		}
		c.marks = c.marks[:0]
		missed := eachEvent(t.page[:n], c.event)
		if missed {
			lost++
		}
		h.add(c.marks, missed)
	}
}

// close removes the instance.
func (t *tracefs) close() error {
	err := t.write("tracing_on", "0")
	for _, p := range t.pipes {
		err = errors.Join(err, unix.Close(p))
	}
	if rerr := unix.Rmdir(t.dir); rerr != nil {
		err = errors.Join(err, fmt.Errorf("remove %s: %w", t.dir, rerr))
	}
	return err
}
