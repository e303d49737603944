// SPDX-License-Identifier: GPL-2.0-only

// Package kernel knows the kernels of the lab: it fetches them from the
// Debian archive without installing anything, and builds the module for them.
package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// A Kernel is one line of the table of known kernels.
type Kernel struct {
	Name  string // as in --kernel and @kernel
	Suite string // Debian's suite that has it, and the compiler for its modules
	Image string // its image package; # stands for a number, the highest of which is taken
	Text  string // for the list
}

// RT tells whether the kernel is a PREEMPT_RT one.
func (k Kernel) RT() bool { return strings.Contains(k.Name, "-rt") }

// All is the one table of kernels that siglab knows.
var All = []Kernel{
	{"5.10", "bullseye", "linux-image-5.10.0-#-amd64", "Debian 5.10, stock"},
	{"5.10-rt", "bullseye", "linux-image-5.10.0-#-rt-amd64", "Debian 5.10, PREEMPT_RT"},
	{"6.1", "bookworm", "linux-image-6.1.0-#-amd64", "Debian 6.1, stock"},
	{"6.1-rt", "bookworm", "linux-image-6.1.0-#-rt-amd64", "Debian 6.1, PREEMPT_RT"},
	{"6.12", "bookworm", "linux-image-6.12.#+deb12-amd64", "Debian 6.12, stock"},
	{"6.12-rt", "bookworm", "linux-image-6.12.#+deb12-rt-amd64", "Debian 6.12, PREEMPT_RT"},
	{"7.3", "trixie-backports", "linux-image-7.3.#+deb13-amd64", "Debian 7.3, stock"},
	{"7.3-rt", "trixie-backports", "linux-image-7.3.#+deb13-rt-amd64", "Debian 7.3, PREEMPT_RT"},
}

// Default is the kernel that is used where none is named.
const Default = "6.12"

// Lookup returns the kernel of that name, one of [Debug] too; the error lists the known ones.
func Lookup(name string) (Kernel, error) {
	for _, k := range slices.Concat(All, Debug) {
		if k.Name == name {
			return k, nil
		}
	}
	return Kernel{}, fmt.Errorf("unknown kernel %q (known: %s)", name, strings.Join(Names(), ", "))
}

// Names returns the names of all known kernels, in the table's order.
func Names() []string {
	names := make([]string, len(All))
	for i, k := range All {
		names[i] = k.Name
	}
	return names
}
