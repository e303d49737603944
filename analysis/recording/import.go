// SPDX-License-Identifier: GPL-2.0-only

package recording

// Import tells what the file of another tool leaves open. It is nil for runs
// and for files of single values.
type Import struct {
	Format       string
	Tag          string // of the histograms of an HdrHistogram log, "latency" without one
	BinNS        int64  // width of the file's classes, 0 without or when not known
	Overflow     uint64 // values above the last class; they count at the maximum
	OverflowOpen bool   // how many values lie beyond the classes is not known
	CountOpen    bool   // the number of values is not known
}
