// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"iter"
	"slices"
	"time"

	"siglat/analysis"
)

// Import tells what the file of another tool leaves open. It is nil for runs
// and for files of single values; in an imported run directory it is never
// nil, and is written to run.json.
type Import struct {
	Format       string `json:"format"`
	File         string `json:"file,omitempty"` // that was imported
	Tag          string `json:"-"`              // of the histograms of an HdrHistogram log, "latency" without one
	BinNS        int64  `json:"bin_ns"`         // width of the file's classes, 0 without or when not known
	Overflow     uint64 `json:"overflow"`       // values above the last class; they count at the maximum
	OverflowOpen bool   `json:"overflow_open"`  // how many values lie beyond the classes is not known
	CountOpen    bool   `json:"count_open"`     // the number of values is not known
	MinOpen      bool   `json:"min_open"`       // the minimum is not known

	// Classes are the file's own, Low and High their label, which may be
	// finer than those of a distribution; not kept in a run directory.
	Classes []analysis.Bucket `json:"-"`
}

// WriteImport writes r, an imported recording, to a run directory, which
// [Open] reads with the same figures. It refuses a directory that already
// holds a run (fs.ErrExist). The same recording always gives the same files.
func WriteImport(dir string, r *Recording, tool string) error {
	w, err := Create(Options{Dir: dir, Start: time.Unix(0, 0)})
	if err != nil {
		return err
	}
	run := r.Run
	if run.Import == nil {
		run.Import = &Import{Format: "plain"}
	}
	note := *run.Import
	note.File = r.Path
	run.Import, run.Tool = &note, tool
	for name, d := range r.Dist {
		w.Add(name, d)
	}
	return w.Finish(&run)
}

// HasQuantiles tells whether the quantiles of r.Latency are known.
func (r *Recording) HasQuantiles() bool { return r.Latencies() != nil || r.HasRun }

// HasCount tells whether the number of values is known.
func (r *Recording) HasCount() bool { return r.Import == nil || !r.Import.CountOpen }

// HasMin tells whether the minimum of r.Latency is known.
func (r *Recording) HasMin() bool { return r.Import == nil || !r.Import.MinOpen }

// HasBound tells whether there are values of which number and maximum are
// known, so that what exceeds the maximum has a bound.
func (r *Recording) HasBound() bool {
	return r.Latency.Count > 0 && r.HasCount() && (r.Import == nil || !r.Import.OverflowOpen)
}

// Inside yields the occupied classes of the latency in ascending order,
// without the values that lie above the classes of an imported file.
func (r *Recording) Inside() iter.Seq[analysis.Bucket] {
	if r.Import != nil && r.Import.Classes != nil {
		return slices.Values(r.Import.Classes)
	}
	return func(yield func(analysis.Bucket) bool) {
		d := r.Latencies()
		if d == nil {
			return
		}
		left := d.Count()
		if r.Import != nil {
			left -= min(left, r.Import.Overflow) // they count last, at the maximum
		}
		for b := range d.Buckets() {
			b.Count = min(b.Count, left)
			left -= b.Count
			if b.Count > 0 && !yield(b) {
				return
			}
		}
	}
}
