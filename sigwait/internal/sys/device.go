// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// DevicePath is where udev puts the module's device.
const DevicePath = "/dev/siglat"

// A Device is an open file of the module. The thread that opened it receives
// the signals. All methods are system calls without a wait, but ReadEvents;
// errors are [unix.Errno].
type Device struct{ FD int }

// OpenDevice opens the device with the given flags. [unix.O_RDONLY] starts
// the default stream at once; with [unix.O_RDWR] nothing is sent before Start.
func OpenDevice(path string, flags int) (Device, error) {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return Device{-1}, err
	}
	return Device{fd}, nil
}

// Close stops the timer, if it runs, and closes the file.
func (d Device) Close() error { return unix.Close(d.FD) }

// Info returns what the module is and can do.
func (d Device) Info() (Info, error) {
	var v Info
	err := d.Ioctl(IOCInfo, uintptr(unsafe.Pointer(&v)))
	return v, err
}

// GetConfig returns the configuration in force.
func (d Device) GetConfig() (Config, error) {
	var v Config
	err := d.Ioctl(IOCGetConfig, uintptr(unsafe.Pointer(&v)))
	return v, err
}

// SetConfig sets what Start shall do; EBUSY while the timer runs.
func (d Device) SetConfig(v Config) error {
	return d.Ioctl(IOCSetConfig, uintptr(unsafe.Pointer(&v)))
}

// Start resets sequence and statistics and arms the timer; EBUSY while it
// runs.
func (d Device) Start() error { return d.Ioctl(IOCStart, 0) }

// Stop disarms the timer; after it returns nothing more is sent.
func (d Device) Stop() error { return d.Ioctl(IOCStop, 0) }

// Stats returns what happened since Start.
func (d Device) Stats() (Stats, error) {
	var v Stats
	err := d.Ioctl(IOCStats, uintptr(unsafe.Pointer(&v)))
	return v, err
}

// Trace begins to mark what the kernel does on some CPUs, until Close, and
// fills in v.TGID. It waits until all CPUs take note, some milliseconds.
func (d Device) Trace(v *Trace) error { return d.Ioctl(IOCTrace, uintptr(unsafe.Pointer(v))) }

// Marks copies marks of v.CPU from number v.Next on to buf, as many as there
// are and fit, and returns their number; it moves v.Next on and sets v.Lost.
func (d Device) Marks(v *Marks, buf []Mark) (int, error) {
	return d.marks(v, uintptr(unsafe.Pointer(unsafe.SliceData(buf))), len(buf))
}

//go:uintptrescapes
func (d Device) marks(v *Marks, buf uintptr, n int) (int, error) {
	v.Buffer, v.Count, v.Lost = uint64(buf), uint32(n), 0
	err := d.Ioctl(IOCMarks, uintptr(unsafe.Pointer(v)))
	return int(v.Count), err
}

// Ioctl passes any request to the device; selftests use it with wrong ones.
//
//go:uintptrescapes
func (d Device) Ioctl(request, arg uintptr) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(d.FD), request, arg)
	if errno != 0 {
		return errno
	}
	return nil
}

// ReadEvents reads whole events into buf and returns how many; it waits
// unless the device was opened with O_NONBLOCK ([unix.EAGAIN] then). The Go
// scheduler knows of the wait. Zero events without an error mean that the
// stream has ended.
func (d Device) ReadEvents(buf []Event) (int, error) {
	if len(buf) == 0 {
		return 0, unix.EINVAL
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&buf[0])), len(buf)*int(unsafe.Sizeof(buf[0])))
	n, err := unix.Read(d.FD, raw)
	if err != nil {
		return 0, err
	}
	return n / int(unsafe.Sizeof(buf[0])), nil
}
