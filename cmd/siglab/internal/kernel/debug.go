// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"fmt"
	"slices"
)

// Debug lists the kernels that scripts/debug/kernel.sh builds from Debian's
// source package with the kernel's own checks: KASAN, lockdep and their like.
// They are slow, and no part of "all".
var Debug = []Kernel{
	{Name: "6.12-debug", Text: "Linux 6.12 with checks, preemptible (scripts/debug/kernel.sh)"},
	{Name: "6.12-rt-debug", Text: "Linux 6.12 with checks, PREEMPT_RT (scripts/debug/kernel.sh)"},
}

// Checked tells whether the kernel is one of [Debug].
func (k Kernel) Checked() bool {
	return slices.ContainsFunc(Debug, func(d Kernel) bool { return d.Name == k.Name })
}

// notBuilt is the error for a kernel that is to be built and is not there; nil
// for one that can be fetched.
func notBuilt(k Kernel) error {
	if k.Checked() {
		return fmt.Errorf("kernel %s is not built (run scripts/debug/kernel.sh)", k.Name)
	}
	return nil
}
