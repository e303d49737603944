// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"strings"

	"siglat/analysis/export"
	"siglat/analysis/recording"
)

// What sigreport export writes for gnuplot: see package export.

func sniffGnuplot(head []byte) bool { return strings.HasPrefix(firstLine(head), export.GnuplotHead) }

type gnuplotReader struct {
	h               histogramReader
	parts           []*histogramPart
	width, from, to int64
	unit            int64
	headed          bool
	next            int64
}

func readGnuplot(s *source) ([]*recording.Recording, error) {
	g := gnuplotReader{h: histogramReader{of: map[string]*histogramPart{}}, unit: s.unitOr(1)}
	err := s.eachLine(func(line string, whole bool) error {
		switch {
		case !whole:
			return fmt.Errorf("cut off within the line %s", quoted(line))
		case !g.headed:
			return g.head(line)
		case strings.HasPrefix(line, "# "):
			return g.comment(line[2:])
		}
		return g.row(line)
	})
	if err != nil {
		return nil, err
	}
	if len(g.parts) == 0 {
		return nil, s.errorf(s.line, "cut off: no line # names")
	}
	return g.h.done(s, "gnuplot")
}

func (g *gnuplotReader) head(line string) error {
	g.headed = true
	n, err := fmt.Sscanf(line, export.GnuplotHead+"%d ns from %d to %d ns", &g.width, &g.from, &g.to)
	if err != nil || n != 3 || g.width < 1 || g.from >= g.to {
		return fmt.Errorf("%s does not tell the classes", quoted(line))
	}
	g.next = g.from
	return nil
}

// comment takes "key:" and a figure of each histogram.
func (g *gnuplotReader) comment(line string) error {
	key, rest, ok := strings.Cut(line, ":\t")
	if !ok {
		return fmt.Errorf("%s is no comment key: and figures", quoted(line))
	}
	f := strings.Split(rest, "\t")
	if key == "names" {
		for _, name := range f {
			if g.h.of[name] != nil || g.parts != nil && len(g.parts) >= len(f) {
				return fmt.Errorf("two histograms are named %s", quoted(name))
			}
			p := g.h.part(name, g.unit)
			p.c.binNS = g.width
			g.parts = append(g.parts, p)
		}
		return nil
	}
	if len(f) != len(g.parts) {
		return fmt.Errorf("%s: %d figures, there are %d names", quoted(key), len(f), len(g.parts))
	}
	for i, p := range g.parts {
		value := strings.TrimPrefix(f[i], export.Unknown)
		var err error
		switch key {
		case "under":
			err = p.row(key, "", fmt.Sprint(g.from), value)
		case "over":
			if g.next != g.to {
				return fmt.Errorf("the classes end at %d ns, not at %d", g.next, g.to)
			}
			err = p.row(key, fmt.Sprint(g.to), "", value)
		default:
			err = p.row(key, "", "", value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *gnuplotReader) row(line string) error {
	f := strings.Split(line, "\t")
	if len(f) != len(g.parts)+1 || g.next >= g.to {
		return fmt.Errorf("%s is no row of class and %d counts", quoted(line), len(g.parts))
	}
	to := g.next + g.width
	if to > g.to || to < g.next {
		to = g.to
	}
	g.next = to
	for i, p := range g.parts {
		if err := p.row("class", f[0], fmt.Sprint(to), f[i+1]); err != nil {
			return err
		}
	}
	return nil
}
