// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"siglat/analysis/recording"
)

// A blameRow shows where the time of one sample went.
type blameRow struct {
	Title, Culprit string
	SVG            template.HTML // who had the CPU, and below it the parts
}

// maxBlamed is the most samples whose time line is drawn.
const maxBlamed = 3

// wayParts are the parts of a sample's way in their order.
var wayParts = []string{"timer", "module", "wakeup", "switch", "user", "own", "unknown"}

func blameRows(r *recording.Recording) (rows []blameRow) {
	for _, s := range r.Longest[:min(len(r.Longest), maxBlamed)] {
		if s.Blame == nil {
			continue
		}
		row := blameRow{Title: fmt.Sprintf("Signal %d on CPU %d: %s from the expiry of the timer", s.Seq, s.CPU, ns(wayNS(s.Blame))), SVG: lanes(&s)}
		if c := s.Blame.Culprit; c != nil {
			row.Culprit = fmt.Sprintf("%s had the CPU for %s of it", taskText(c), ns(s.Blame.CulpritNS))
		}
		rows = append(rows, row)
	}
	return rows
}

// wayNS is the sum of all parts.
func wayNS(b *recording.Blame) (sum int64) {
	for _, v := range b.PartsNS {
		sum += v
	}
	return sum
}

func taskText(t *recording.Task) string {
	switch {
	case t.PID == 0:
		return t.Comm
	case t.Priority > 0:
		return fmt.Sprintf("%s/%d, %s %d", t.Comm, t.PID, strings.ToUpper(t.Policy), t.Priority)
	}
	return fmt.Sprintf("%s/%d, %s", t.Comm, t.PID, strings.ToUpper(t.Policy))
}

// Sizes of a time line in user units of its SVG.
const (
	laneWidth  = 900
	laneHeight = 26
	charWidth  = 7 // at 12 px, roughly
)

// lanes draws the time line of a sample. It ends when the signal was received.
func lanes(s *recording.Sample) template.HTML {
	b := s.Blame
	span := wayNS(b)
	for _, t := range b.Ran {
		span = max(span, t.FromNS)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-size="12" font-family="sans-serif"><title>%s</title>`,
		laneWidth, 2*laneHeight, laneWidth, 2*laneHeight, html.EscapeString(fmt.Sprintf("time line of signal %d, %d ns", s.Seq, span)))
	box := func(lane int, from, to int64, fill, label, detail string) {
		x := float64(laneWidth) * float64(span-from) / float64(max(span, 1))
		w := float64(laneWidth) * float64(from-to) / float64(max(span, 1))
		fmt.Fprintf(&out, `<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="var(%s)" stroke="var(--page)"/>`,
			html.EscapeString(fmt.Sprintf("%s, %d ns", detail, from-to)), x, lane*laneHeight, max(w, 1), laneHeight-4, fill)
		if w > float64(charWidth*len(label)) {
			fmt.Fprintf(&out, `<text x="%.1f" y="%d" fill="var(--page)">%s</text>`, x+4, lane*laneHeight+15, html.EscapeString(label))
		}
		out.WriteString("</g>")
	}
	for _, t := range b.Ran {
		fill := "--run1"
		switch t.Task.PID {
		case b.Victim.PID:
			fill = "--run0"
		case 0:
			fill = "--muted"
		}
		box(0, t.FromNS, t.ToNS, fill, t.Task.Comm, taskText(&t.Task))
	}
	left := wayNS(b)
	for i, name := range wayParts {
		if part, ok := b.PartsNS[name]; ok {
			box(1, left, left-part, fmt.Sprintf("--run%d", i), name, name)
			left -= part
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String())
}
