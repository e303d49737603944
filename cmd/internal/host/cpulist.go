// SPDX-License-Identifier: GPL-2.0-only

package host

import (
	"os"
	"strconv"
	"strings"
)

const onlineFile = "sys/devices/system/cpu/online"

// Online returns the CPUs that are online in the kernel's list format, empty
// when that is not known.
func Online() string { return reader{os.DirFS("/")}.text(onlineFile) }

// Listed tells whether a list in the kernel's format, as 0,2-3, holds a CPU.
// What is malformed holds none.
func Listed(list string, cpu int) bool {
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err1 := strconv.Atoi(low)
		last, err2 := strconv.Atoi(high)
		if err1 == nil && err2 == nil && first <= cpu && cpu <= last {
			return true
		}
	}
	return false
}
