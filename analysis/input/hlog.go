// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"siglat/analysis/recording"
)

func sniffHlog(head []byte) bool {
	first := firstLine(head)
	return strings.HasPrefix(first, "#[") || strings.HasPrefix(first, `"StartTimestamp"`) || strings.HasPrefix(first, "Tag=") || bytes.Contains(head, []byte(",HISTFAAA"))
}

// readHlog reads an HdrHistogram log of values in ns (or --unit).
func readHlog(s *source) ([]*recording.Recording, error) {
	if s.unitOr(1) != 1 {
		return nil, fmt.Errorf("read %s: a log of histograms can be read in ns only", s.path)
	}
	dists, err := recording.ReadLog(s.path, s.in)
	if err != nil {
		return nil, err
	}
	var out []*recording.Recording
	for _, tag := range slices.Sorted(maps.Keys(dists)) {
		rec := s.recordingOf(dists[tag])
		if tag != recording.SegmentLatency {
			rec.Name += ":" + tag
		}
		rec.Import = &recording.Import{Format: "hlog", Tag: tag}
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read %s: empty: no histograms in it", s.path)
	}
	return out, nil
}
