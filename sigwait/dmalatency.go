// SPDX-License-Identifier: GPL-2.0-only

package sigwait

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// dmaLatencyDevice limits how long the CPUs' idle states may take to leave, as
// long as a file of it is open: Documentation/power/pm_qos_interface.rst.
var dmaLatencyDevice = "/dev/cpu_dma_latency"

// holdDMALatency holds the limit at us until release is called and returns the
// one in force: lower, where another process asks for less.
func holdDMALatency(us int32) (effective int32, release func(), err error) {
	f, err := os.OpenFile(dmaLatencyDevice, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil, fmt.Errorf("DMA latency %d us: %s does not exist: this kernel has no idle states to limit (CONFIG_CPU_IDLE), or the container hides it", us, dmaLatencyDevice)
	case errors.Is(err, fs.ErrPermission):
		return 0, nil, fmt.Errorf("DMA latency %d us: no right to open %s: run as root, or give yourself the right (sudo chown $USER %s)", us, dmaLatencyDevice, dmaLatencyDevice)
	case err != nil:
		return 0, nil, fmt.Errorf("DMA latency %d us: %w", us, err)
	}
	value := make([]byte, 4)
	binary.NativeEndian.PutUint32(value, uint32(us))
	if _, err := f.WriteAt(value, 0); err != nil {
		_ = f.Close()
		return 0, nil, fmt.Errorf("DMA latency %d us: %w", us, err)
	}
	if _, err := f.ReadAt(value, 0); err != nil {
		_ = f.Close()
		return 0, nil, fmt.Errorf("DMA latency %d us: read it back: %w", us, err)
	}
	return int32(binary.NativeEndian.Uint32(value)), func() { _ = f.Close() }, nil
}
