// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"siglat/analysis"
	"siglat/analysis/recording"
	"siglat/sigwait"
)

// partNames are the segments beside the latency itself.
var partNames = []string{recording.SegmentTimer, recording.SegmentModule, recording.SegmentTotal}

// parts returns the segments of a sample by name, nil when they are not known.
func parts(s *sigwait.Sample) map[string]int64 {
	if !s.HasParts {
		return nil
	}
	return map[string]int64{
		recording.SegmentTimer: s.TimerNS, recording.SegmentModule: s.ModuleNS, recording.SegmentLatency: s.LatencyNS,
		recording.SegmentTotal: s.TimerNS + s.ModuleNS + s.LatencyNS,
	}
}

// A segmenter keeps the distributions of the segments, in the run directory
// where there is one.
type segmenter struct {
	writer *recording.Writer
	own    map[string]*analysis.Distribution
}

func newSegmenter(w *recording.Writer) *segmenter {
	g := &segmenter{writer: w, own: map[string]*analysis.Distribution{}}
	if w == nil {
		for _, name := range partNames {
			g.own[name] = analysis.NewDistribution()
		}
	}
	return g
}

func (g *segmenter) add(s *sigwait.Sample) {
	if !s.HasParts {
		return
	}
	g.record(recording.SegmentTimer, s.TimerNS)
	g.record(recording.SegmentModule, s.ModuleNS)
	g.record(recording.SegmentTotal, s.TimerNS+s.ModuleNS+s.LatencyNS)
}

func (g *segmenter) record(name string, ns int64) {
	if g.writer != nil {
		g.writer.Record(name, ns)
		return
	}
	g.own[name].Record(ns)
}

// summaries adds the figures of all segments that have any.
func (g *segmenter) summaries(to map[string]analysis.Summary) {
	for _, name := range partNames {
		d := g.own[name]
		if g.writer != nil {
			d = g.writer.Total(name)
		}
		if d.Count() > 0 {
			to[name] = d.Summary()
		}
	}
}
