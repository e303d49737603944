// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"siglat/analysis/recording"
)

// A group holds the repeats of one run: equal in all that counts.
type group struct {
	key  groupKey
	runs []*recording.Recording
}

type groupKey struct {
	setup  setup
	env    environment
	period int64
	name   string
}

// mostPairs is the most pairs listed for the same two set-ups. Where names
// alone make more, their runs are pooled.
const mostPairs = 8

// groups sorts runs into groups, in order of first appearance.
func groups(d Dimension, runs []*recording.Recording, byName bool) []*group {
	var out []*group
	byKey := map[groupKey]*group{}
	for _, r := range runs {
		k := groupKey{setup: setupOf(r), env: environmentOf(r, d), period: r.Config.PeriodNS}
		if byName {
			k.name = r.Name
		}
		g := byKey[k]
		if g == nil {
			g = &group{key: k}
			byKey[k] = g
			out = append(out, g)
		}
		g.runs = append(g.runs, r)
	}
	return out
}

// A contrast is two set-ups that differ in one dimension.
type contrast struct{ a, b setup }

func compareIn(d Dimension, runs []*recording.Recording) []Comparison {
	order, pairs := pairUp(groups(d, runs, true), d)
	var pooledPairs map[contrast][][2]*group
	var out []Comparison
	for _, c := range order {
		list := pairs[c]
		if len(list) > mostPairs {
			if pooledPairs == nil {
				_, pooledPairs = pairUp(groups(d, runs, false), d)
			}
			list = pooledPairs[c]
		}
		for _, p := range list {
			out = append(out, newComparison(d,
				newSide(label(d, c.a, c), p[0].runs),
				newSide(label(d, c.b, c), p[1].runs)))
		}
	}
	return out
}

// pairUp finds the contrasts in order of appearance, with the nearest pairs
// for each.
func pairUp(gs []*group, d Dimension) ([]contrast, map[contrast][][2]*group) {
	var order []contrast
	pairs := map[contrast][][2]*group{}
	nearest := map[contrast]int{}
	for i, x := range gs {
		for _, y := range gs[i+1:] {
			a, b, ok := orient(d, x, y)
			if !ok {
				continue
			}
			c := contrast{a.key.setup, b.key.setup}
			dist := distance(a, b)
			best, seen := nearest[c]
			if !seen {
				order = append(order, c)
			}
			switch {
			case !seen || dist < best:
				nearest[c] = dist
				pairs[c] = [][2]*group{{a, b}}
			case dist == best:
				pairs[c] = append(pairs[c], [2]*group{a, b})
			}
		}
	}
	return order, pairs
}

// distance tells how well two groups compare: 0 in all but the dimension
// equal, 1 another period, 2 another environment.
func distance(a, b *group) int {
	switch {
	case a.key.env != b.key.env:
		return 2
	case a.key.period != b.key.period:
		return 1
	}
	return 0
}

// orient tells whether two groups differ in the dimension alone, and which
// of them is the base of the comparison.
func orient(d Dimension, x, y *group) (a, b *group, ok bool) {
	s, t := x.key.setup, y.key.setup
	var swap bool
	switch d {
	case Placement:
		ok = s.placement != t.placement && pinned(s) && pinned(t)
		swap = t.placement == "same"
		t.placement = s.placement
	case Policy:
		ok = s.policy == "OTHER" && realTime(t.policy) || t.policy == "OTHER" && realTime(s.policy)
		swap = t.policy == "OTHER"
		t.policy = s.policy
	case Receiver:
		ok = s.receiver == "busy" && blocked(t.receiver) || t.receiver == "busy" && blocked(s.receiver)
		swap = s.receiver == "busy"
		t.receiver = s.receiver
	case Kernel:
		ok = s.kernel != "" && t.kernel != "" && (s.rt != t.rt) != (s.kernel != t.kernel)
		swap = s.rt && !t.rt || s.rt == t.rt && versionLess(t.kernel, s.kernel)
		t.kernel, t.rt = s.kernel, s.rt
		// What the module chooses by itself depends on the kernel.
		if s.asked == t.asked {
			t.context = s.context
		}
	}
	if !ok || s != t {
		return nil, nil, false
	}
	if swap {
		x, y = y, x
	}
	return x, y, true
}

func pinned(s setup) bool { return s.placement == "same" || s.placement == "other" }

// versionLess orders kernel releases by their numbers.
func versionLess(a, b string) bool {
	for a != "" && b != "" {
		na, ra := leadingNumber(a)
		nb, rb := leadingNumber(b)
		if na >= 0 && nb >= 0 {
			if na != nb {
				return na < nb
			}
			a, b = ra, rb
			continue
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

// leadingNumber splits the digits off the front; -1 when there are none.
func leadingNumber(s string) (int, string) {
	n, i := 0, 0
	for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
		n = 10*n + int(s[i]-'0')
		i++
	}
	if i == 0 {
		return -1, s
	}
	return n, s[i:]
}

// label writes a set-up's value of the dimension.
func label(d Dimension, s setup, c contrast) string {
	switch d {
	case Placement:
		return placementText(s.placement)
	case Policy:
		return s.policy
	case Receiver:
		return receiverText(s.receiver)
	case Kernel:
		if c.a.rt == c.b.rt {
			return s.kernel
		}
		if s.rt {
			return "PREEMPT_RT"
		}
		return "stock"
	}
	return ""
}
