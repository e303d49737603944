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
	SVG            template.HTML // who had the CPU, below it the parts, below them the time
	Before         template.HTML // the same with a long time before, where that is known
}

// maxBlamed is the most samples whose time line is drawn.
const maxBlamed = 3

// nearBefore is how much of the time before the expiry is drawn, in ns, at
// least, if it is known.
const nearBefore = 20_000

// wayParts are the parts of a sample's way in their order.
var wayParts = []string{"timer", "module", "wakeup", "switch", "user", "own", "unknown"}

func blameRows(r *recording.Recording) (rows []blameRow) {
	for _, s := range r.Longest[:min(len(r.Longest), maxBlamed)] {
		if s.Blame == nil {
			continue
		}
		way := wayNS(s.Blame)
		near, known := way+max(way/4, nearBefore), way
		for _, t := range s.Blame.Ran {
			known = max(known, t.FromNS)
		}
		row := blameRow{Title: fmt.Sprintf("Signal %d on CPU %d: %s from the expiry of the timer", s.Seq, s.CPU, ns(way)), SVG: lanes(&s, min(known, near))}
		if known > 2*near {
			row.Before = lanes(&s, known)
		}
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
	case t.Policy == "":
		return fmt.Sprintf("%s/%d", t.Comm, t.PID) // tracefs does not tell it
	case t.Nice != 0:
		return fmt.Sprintf("%s/%d, %s, nice %d", t.Comm, t.PID, strings.ToUpper(t.Policy), t.Nice)
	}
	return fmt.Sprintf("%s/%d, %s", t.Comm, t.PID, strings.ToUpper(t.Policy))
}

// Sizes of a time line in user units of its SVG.
const (
	laneWidth  = 900
	laneHeight = 26
	charWidth  = 7 // at 12 px, roughly
)

// lanes draws the last span of a sample's time line; it ends when the signal
// was received.
func lanes(s *recording.Sample, span int64) template.HTML {
	b := s.Blame
	c := canvas{span: max(span, 1)}
	fmt.Fprintf(&c, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-size="12" font-family="sans-serif"><title>%s</title>`,
		laneWidth, 3*laneHeight, laneWidth, 3*laneHeight, html.EscapeString(fmt.Sprintf("time line of signal %d, %d ns", s.Seq, span)))
	for _, t := range b.Ran {
		c.box(0, t.FromNS, t.ToNS, laneColour(&t.Task, b), t.Task.Comm, taskText(&t.Task))
	}
	left := wayNS(b)
	for i, name := range wayParts {
		if part, ok := b.PartsNS[name]; ok {
			c.box(1, left, left-part, fmt.Sprintf("--run%d", i), name, name)
			left -= part
		}
	}
	c.axis()
	c.WriteString("</svg>")
	return template.HTML(c.String())
}

// laneColour tells the receiver, the culprit, idle time and all others apart.
func laneColour(t *recording.Task, b *recording.Blame) string {
	switch {
	case t.PID == b.Victim.PID:
		return "--run0"
	case t.PID == 0:
		return "--muted"
	case b.Culprit != nil && t.PID == b.Culprit.PID:
		return "--run1"
	}
	return "--run4"
}

// A canvas takes boxes in ns before the end of a time line of some span.
type canvas struct {
	strings.Builder
	span int64
}

func (c *canvas) box(lane int, from, to int64, fill, label, detail string) {
	length := from - to
	if from = min(from, c.span); from < to {
		return
	}
	x, w := c.x(from), c.x(to)-c.x(from)
	fmt.Fprintf(c, `<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="var(%s)" stroke="var(--page)" stroke-width="%.1f"/>`,
		html.EscapeString(fmt.Sprintf("%s, %d ns", detail, length)), x, lane*laneHeight, max(w, 1), laneHeight-4, fill, min(w/4, 1))
	if w > float64(charWidth*(len(label)+2)) {
		fmt.Fprintf(c, `<text x="%.1f" y="%d" fill="var(--page)">%s</text>`, x+4, lane*laneHeight+15, html.EscapeString(label))
	}
	c.WriteString("</g>")
}

func (c *canvas) x(before int64) float64 {
	return float64(laneWidth) * float64(c.span-before) / float64(c.span)
}

// axis marks round times before the end, at most ten.
func (c *canvas) axis() {
	step := int64(1)
	for i := 0; c.span/step > 10; i++ {
		step = step * []int64{2, 5, 2}[i%3] / []int64{1, 2, 1}[i%3]
	}
	const y = 2 * laneHeight
	for at := int64(0); at <= c.span; at += step {
		anchor := "middle"
		switch x := c.x(at); {
		case at == 0:
			anchor = "end"
		case x < 3*charWidth:
			anchor = "start"
		}
		label := "received"
		if at > 0 {
			label = "−" + ns(at)
		}
		fmt.Fprintf(c, `<path d="M%.1f %dv4" stroke="var(--muted)"/><text x="%.1f" y="%d" text-anchor="%s" fill="var(--muted)">%s</text>`,
			c.x(at), y, c.x(at), y+17, anchor, label)
	}
}
