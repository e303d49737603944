// SPDX-License-Identifier: GPL-2.0-only

package plots

import (
	"fmt"

	"siglat/analysis/recording"
)

// referenceCycles is what OSADL's latency plots take for the limit of a
// system that reacts in real time: 100 000 clock cycles.
const referenceCycles = 100_000

// Reference returns the time in ns that the processors of the runs take for
// 100 000 cycles at their highest frequency, and what to write at the line.
// It is 0 where the frequency is not known of all of them or not the same,
// and in virtual time, which has no cycles.
func Reference(runs []*recording.Recording) (ns int64, text string) {
	var khz int64
	for _, r := range runs {
		f := r.Host.CPUKHz
		if f <= 0 || r.Clock == "virtual" || khz != 0 && f != khz {
			return 0, ""
		}
		khz = f
	}
	if khz == 0 {
		return 0, ""
	}
	ns = referenceCycles * 1_000_000 / khz
	return ns, fmt.Sprintf("100\u00a0000 cycles at %.3g\u00a0GHz: %s", float64(khz)/1e6, FormatNS(float64(ns)))
}
