// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"siglat/analysis/trend"
)

// shownDays is how many days the text shows; JSON has all.
const shownDays = 14

func (t *trending) text(w io.Writer) error {
	series := &table{}
	series.add("host", "kernel", "runs", "first", "last", "median p99 (ns)", "max (ns)", "lost", "configuration")
	for _, c := range t.Cells {
		series.add(plain(c.Host), plain(c.Kernel), strconv.Itoa(c.Runs), day(c.First), day(c.Last),
			strconv.FormatInt(c.P99, 10), strconv.FormatInt(c.Max, 10), strconv.FormatUint(c.Lost, 10), plain(c.Config))
	}
	if err := series.print(w); err != nil {
		return err
	}
	days := &table{}
	days.add("worst of the day", "max (ns)", "host", "kernel", "run")
	shown := t.Days[max(0, len(t.Days)-shownDays):]
	for _, p := range shown {
		days.add(day(p.Start), strconv.FormatInt(p.Max, 10), plain(p.Host), plain(p.Kernel), plain(p.Path))
	}
	fmt.Fprintln(w)
	if err := days.print(w); err != nil {
		return err
	}
	if n := len(t.Days) - len(shown); n > 0 {
		fmt.Fprintf(w, "(%d days before; --json has all)\n", n)
	}
	fmt.Fprintln(w)
	for i := range t.Changes {
		fmt.Fprintln(w, sentence(&t.Changes[i]))
	}
	if len(t.Changes) == 0 {
		_, err := fmt.Fprintf(w, "no change of %s by %g %% or more shown\n", t.figure, t.least*100)
		return err
	}
	return nil
}

// sentence says of a change what, where, since when and how sure.
func sentence(c *trend.Change) string {
	var b strings.Builder
	verb := "rose"
	if c.Factor < 1 {
		verb = "fell"
	}
	fmt.Fprintf(&b, "%s %s by %.0f %%, from %d to %d ns, ", c.Figure, verb, math.Abs(c.Factor-1)*100, c.Before, c.After)
	if c.Kernel != "" {
		fmt.Fprintf(&b, "with kernel %s ", plain(c.Kernel))
	}
	fmt.Fprintf(&b, "on host %s (%s), first seen on %s", plain(c.Host), plain(c.Config), day(c.First.Start))
	if c.First.Path != "" {
		fmt.Fprintf(&b, " in %s", plain(c.First.Path))
	}
	fmt.Fprintf(&b, ", confidence %s %%", sureness(c.P))
	if !c.Stands {
		b.WriteString(", changed again later")
	}
	return b.String()
}

// sureness returns 1 - p in percent, 99.999999 at most: never 100.
func sureness(p float64) string {
	percent := 100 * (1 - max(p, 1e-8))
	for digits := 0; digits < 8; digits++ {
		text := strconv.FormatFloat(percent, 'f', digits, 64)
		if v, err := strconv.ParseFloat(text, 64); err == nil && v < 100 && v <= percent+1e-9 {
			return text
		}
	}
	return strconv.FormatFloat(math.Floor(percent*1e6)/1e6, 'f', 6, 64)
}

// plain returns a text from elsewhere without characters that move a cursor.
func plain(s string) string {
	if s == "" {
		return unknown
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
