// SPDX-License-Identifier: GPL-2.0-only

package baseline

import "runtime"

// onThread runs f on a thread of its own with the given CPU and SCHED_FIFO
// priority (0: SCHED_OTHER). The thread ends with f, since its mask and policy
// are changed; the channel then gets the error.
func onThread(cpu, priority int, f func() error) <-chan error {
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked
		p := place{Ring: Ring{CPUs: []int{cpu}, Priority: priority}}
		_, err := p.settle()
		if err == nil {
			err = f()
		}
		failed <- err
	}()
	return failed
}
