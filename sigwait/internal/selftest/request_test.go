// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package selftest

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"siglat/sigwait/internal/sys"
)

func TestInfo(t *testing.T) {
	d := open(t, unix.O_RDWR)
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	want := uint32(sys.FeatureEvents | sys.FeatureSequence | sys.FeatureModes | sys.FeatureTrace)
	if info.ABIVersion != sys.ABIVersion || info.Signal != sigRTMax || info.Features&^uint32(sys.FeaturePreemptRT|sys.FeaturePriority) != want {
		t.Errorf("info %+v", info)
	}
	if info.MinPeriodNS == 0 || info.MinPeriodNS > 100_000 || info.MaxPeriodNS < 1e9 {
		t.Errorf("periods from %d to %d ns", info.MinPeriodNS, info.MaxPeriodNS)
	}
}

type configRow struct {
	name   string
	change func(*sys.Config)
	want   error
}

// configRows changes one field each of a configuration that is right.
func configRows(info sys.Info) []configRow {
	priority := error(nil)
	if info.Features&sys.FeaturePriority == 0 {
		priority = unix.EOPNOTSUPP
	}
	rows := []configRow{
		{"nothing", func(c *sys.Config) {}, nil},
		{"first unknown flag", func(c *sys.Config) { c.Flags = sys.FlagsAll + 1 }, unix.EINVAL},
		{"last unknown flag", func(c *sys.Config) { c.Flags = 1 << 31 }, unix.EINVAL},
		{"mode 3", func(c *sys.Config) { c.Mode = 3 }, unix.EINVAL},
		{"mode max", func(c *sys.Config) { c.Mode = math.MaxUint32 }, unix.EINVAL},
		{"CLOCK_PROCESS_CPUTIME_ID", func(c *sys.Config) { c.Clock = 2 }, unix.EINVAL},
		{"CLOCK_BOOTTIME", func(c *sys.Config) { c.Clock = unix.CLOCK_BOOTTIME }, unix.EINVAL},
		{"clock max", func(c *sys.Config) { c.Clock = math.MaxUint32 }, unix.EINVAL},
		{"context 4", func(c *sys.Config) { c.Context = 4 }, unix.EINVAL},
		{"context max", func(c *sys.Config) { c.Context = math.MaxUint32 }, unix.EINVAL},
		{"thread context, mode kthread", func(c *sys.Config) { c.Context, c.Mode = 3, 1 }, unix.EINVAL},
		{"thread context, mode irq", func(c *sys.Config) { c.Context, c.Mode = 3, 2 }, unix.EINVAL},
		{"period 0", func(c *sys.Config) { c.PeriodNS = 0 }, unix.EINVAL},
		{"period 1", func(c *sys.Config) { c.PeriodNS = 1 }, unix.EINVAL},
		{"period min-1", func(c *sys.Config) { c.PeriodNS = info.MinPeriodNS - 1 }, unix.EINVAL},
		{"period min", func(c *sys.Config) { c.PeriodNS = info.MinPeriodNS }, nil},
		{"period max", func(c *sys.Config) { c.PeriodNS = info.MaxPeriodNS }, nil},
		{"period max+1", func(c *sys.Config) { c.PeriodNS = info.MaxPeriodNS + 1 }, unix.EINVAL},
		{"period 2^63", func(c *sys.Config) { c.PeriodNS = 1 << 63 }, unix.EINVAL},
		{"period max uint", func(c *sys.Config) { c.PeriodNS = math.MaxUint64 }, unix.EINVAL},
		{"count largest", func(c *sys.Config) { c.Count = math.MaxInt64 / c.PeriodNS }, nil},
		{"count overflow", func(c *sys.Config) { c.Count = math.MaxInt64/c.PeriodNS + 1 }, unix.EINVAL},
		{"count overflow of 64 bits", func(c *sys.Config) { c.Count = math.MaxUint64/c.PeriodNS + 2 }, unix.EINVAL},
		{"count max", func(c *sys.Config) { c.Count = math.MaxUint64 }, unix.EINVAL},
		{"cpu current", func(c *sys.Config) { c.CPU = sys.CPUCurrent }, nil},
		{"cpu -2", func(c *sys.Config) { c.CPU = -2 }, unix.EINVAL},
		{"cpu min", func(c *sys.Config) { c.CPU = math.MinInt32 }, unix.EINVAL},
		{"cpu 2 of 2", func(c *sys.Config) { c.CPU = int32(runtime.NumCPU()) }, unix.ENXIO},
		{"cpu 65536", func(c *sys.Config) { c.CPU = 65536 }, unix.ENXIO},
		{"cpu max", func(c *sys.Config) { c.CPU = math.MaxInt32 }, unix.ENXIO},
		{"priority 0", func(c *sys.Config) { c.Priority = 0 }, nil},
		{"priority 1", func(c *sys.Config) { c.Priority = 1 }, priority},
		{"priority 99", func(c *sys.Config) { c.Priority = 99 }, priority},
		{"priority 100", func(c *sys.Config) { c.Priority = 100 }, unix.EINVAL},
		{"priority max", func(c *sys.Config) { c.Priority = math.MaxUint32 }, unix.EINVAL},
	}
	for i := range (sys.Config{}).Padding {
		rows = append(rows, configRow{fmt.Sprintf("padding %d", i), func(c *sys.Config) { c.Padding[i] = 1 << 31 }, unix.EINVAL})
	}
	hard := error(nil)
	if info.Features&sys.FeaturePreemptRT != 0 {
		hard = unix.EOPNOTSUPP
	}
	return append(rows, configRow{"hard interrupt", func(c *sys.Config) { c.Context = sys.ContextHardIRQ }, hard})
}

func TestConfigErrors(t *testing.T) {
	d := open(t, unix.O_RDWR)
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	good := sys.Config{Clock: 1, PeriodNS: ms, CPU: 1, Priority: 50}
	if err := d.SetConfig(good); err != nil {
		t.Fatal(err)
	}
	for _, row := range configRows(info) {
		t.Run(row.name, func(t *testing.T) {
			if err := d.SetConfig(good); err != nil {
				t.Fatal(err)
			}
			c := good
			row.change(&c)
			if err := d.SetConfig(c); err != row.want {
				t.Fatalf("set %+v: %v; want %v", c, err, row.want)
			}
			want := good
			if row.want == nil {
				want = c
			}
			if have, err := d.GetConfig(); err != nil || have != want {
				t.Errorf("configuration %+v, error %v; want %+v", have, err, want)
			}
		})
	}
}

// address is where a buffer on the heap lies; the caller keeps it alive.
func address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }

var requests = []struct {
	name    string
	number  uintptr
	writes  bool
	padding []int // byte offsets of padding: from, to
}{
	{"INFO", sys.IOCInfo, true, []int{28, 64}},
	{"GET_CONFIG", sys.IOCGetConfig, true, []int{40, 64}},
	{"SET_CONFIG", sys.IOCSetConfig, false, nil},
	{"STATS", sys.IOCStats, true, []int{56, 64}},
}

// TestPoisonedOutput: every byte of an output is written, and none beyond it.
func TestPoisonedOutput(t *testing.T) {
	d := open(t, unix.O_RDWR)
	for _, r := range requests {
		if !r.writes {
			continue
		}
		var results [2][]byte
		for i, poison := range []byte{0xaa, 0x55} {
			b := bytes.Repeat([]byte{poison}, 128)
			if err := d.Ioctl(r.number, address(b)); err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			runtime.KeepAlive(b)
			if !bytes.Equal(b[64:], bytes.Repeat([]byte{poison}, 64)) {
				t.Errorf("%s: wrote beyond its structure", r.name)
			}
			results[i] = b[:64]
		}
		if !bytes.Equal(results[0], results[1]) {
			t.Errorf("%s: left bytes as they were: %x, %x", r.name, results[0], results[1])
		}
		if p := results[0][r.padding[0]:r.padding[1]]; !bytes.Equal(p, make([]byte, len(p))) {
			t.Errorf("%s: padding %x; want zero", r.name, p)
		}
	}
}

func TestBadPointer(t *testing.T) {
	d := open(t, unix.O_RDWR)
	page := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	if err := unix.Mprotect(memory[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	end := address(memory) + uintptr(page)
	for _, r := range requests {
		for _, p := range []uintptr{0, 1, end, end - 1, end - 63, 1 << 47, 0xffff_8880_0000_0000, math.MaxUint64 - 7} {
			if err := d.Ioctl(r.number, p); err != unix.EFAULT {
				t.Errorf("%s at %#x: %v; want EFAULT", r.name, p, err)
			}
		}
		if r.writes {
			if err := d.Ioctl(r.number, end-64); err != nil {
				t.Errorf("%s at the end of a page: %v", r.name, err)
			}
		}
	}
}

func TestUnknownRequest(t *testing.T) {
	d := open(t, unix.O_RDWR)
	b := make([]byte, 256)
	for _, number := range []uintptr{
		0, unix.TCGETS, 0x0000b806, 0x8040b806, 0x0000b8ff, // numbers without a meaning
		0x0000b800, 0x803cb800, 0x8044b800, 0x4040b800, // INFO without size, shorter, longer, other direction
		0xc040b802, 0x4000b803, 0x8040b905, // SET_CONFIG both ways, START with direction, other magic
	} {
		if err := d.Ioctl(number, address(b)); err != unix.ENOTTY {
			t.Errorf("request %#x: %v; want ENOTTY", number, err)
		}
	}
	runtime.KeepAlive(b)
}

func TestOpenModes(t *testing.T) {
	var st unix.Stat_t
	if err := unix.Stat(sys.DevicePath, &st); err != nil || st.Mode != unix.S_IFCHR|0o600 {
		t.Errorf("mode %o of the device, error %v; want a character device with 0600", st.Mode, err)
	}
	d := open(t, unix.O_WRONLY)
	if st := stats(t, d); st.State != 0 {
		t.Errorf("state %#x after opening for writing; want 0", st.State)
	}
	if _, err := unix.Seek(d.FD, 0, 0); err != unix.ESPIPE {
		t.Errorf("seek: %v; want ESPIPE", err)
	}
	if _, err := unix.Write(d.FD, []byte{1}); err != unix.EINVAL {
		t.Errorf("write: %v; want EINVAL", err)
	}
}
