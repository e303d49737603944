// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"

	"siglat/analysis/recording"
	"siglat/cmd/internal/cli"
)

// writeOver prints how many values exceed a threshold.
func writeOver(w io.Writer, recs []*recording.Recording, threshold int64) error {
	for _, r := range recs {
		low, high := over(r, threshold)
		count := utoa(low)
		switch {
		case high == nil:
			count += " or more"
		case low != *high:
			count += " to " + utoa(*high)
		}
		if _, err := fmt.Fprintf(w, "%s: %s of %d values over %d ns\n", r.Name, count, r.Latency.Count, threshold); err != nil {
			return err
		}
	}
	return nil
}

// exceeds fails when any value may be over the threshold, or when that is not
// known.
func exceeds(recs []*recording.Recording, threshold int64) error {
	open := ""
	for _, r := range recs {
		switch low, high := over(r, threshold); {
		case low > 0 || high != nil && *high > 0:
			return cli.Exceededf("a latency is over %d ns", threshold)
		case high == nil:
			open = r.Name
		}
	}
	if open != "" {
		return fmt.Errorf("%s: not known whether a latency is over %d ns: its file does not tell how many lie above its classes", open, threshold)
	}
	return nil
}

// over counts values above the threshold, from low to high of them; high is
// nil when that is not known. Where only figures are known, the maximum tells
// of one.
func over(r *recording.Recording, threshold int64) (low uint64, high *uint64) {
	d, i := r.Latencies(), r.Import
	most := uint64(0)
	switch {
	case d != nil:
		low, most = d.Over(threshold)
	case r.Latency.Max > threshold:
		low, most = 1, max(1, r.Latency.Count)
	}
	if r.HasRun {
		// What has no valid latency may have taken half a second or more.
		most += r.Counts.Invalid
	}
	switch {
	case i != nil && i.OverflowOpen:
		return low, nil
	case i != nil && i.Overflow > 0 && r.Latency.Max > threshold:
		low = min(low, max(1, low-min(low, i.Overflow-1)))
	}
	return low, &most
}
