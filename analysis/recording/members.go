// SPDX-License-Identifier: GPL-2.0-only

package recording

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// add adds o to c.
func (c *Counts) add(o Counts) {
	c.Sent += o.Sent
	c.Received += o.Received
	c.Lost += o.Lost
	c.Refused += o.Refused
	c.Overruns += o.Overruns
	c.Duplicates += o.Duplicates
	c.Reordered += o.Reordered
	c.Invalid += o.Invalid
	c.WrongCPU += o.WrongCPU
	c.RingDrops += o.RingDrops
}

// shared leaves in r only those facts that are the same in o; the others
// become unknown.
func (r *Run) shared(o *Run) {
	cpus := []struct{ cpu, other *int }{
		{&r.Config.CPU, &o.Config.CPU},
		{&r.Config.TimerCPU, &o.Config.TimerCPU},
		{&r.Effective.TimerCPU, &o.Effective.TimerCPU},
	}
	differ := make([]bool, len(cpus))
	for i, c := range cpus {
		differ[i] = *c.cpu != *c.other
	}
	same(&r.Config, &o.Config)
	same(&r.Effective, &o.Effective)
	same(&r.Host, &o.Host)
	for i, c := range cpus {
		if differ[i] {
			*c.cpu = -1
		}
	}
	if r.Clock != o.Clock {
		r.Clock = ""
	}
}

// same clears the fields of a struct that are not those of another.
func same[T any](a, b *T) {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			x.Field(i).SetZero()
		}
	}
}

// differences names what the members do not have in common, with the first
// two of its values.
func differences(parts []part) []string {
	var names []string
	values := map[string]map[string]bool{}
	for _, p := range parts {
		for _, f := range append(p.run.Facts(), p.run.Setup()...) {
			if f.Value == "" {
				continue
			}
			if values[f.Name] == nil {
				values[f.Name] = map[string]bool{}
				names = append(names, f.Name)
			}
			values[f.Name][shorten(f.Value)] = true
		}
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		of := slices.Sorted(maps.Keys(values[name]))
		switch n := len(of); {
		case n == 2:
			out = append(out, fmt.Sprintf("members differ in %s: %s, %s", name, of[0], of[1]))
		case n > 2:
			out = append(out, fmt.Sprintf("members differ in %s: %s, %s and %d more", name, of[0], of[1], n-2))
		}
	}
	return out
}

// warnings repeats what the members warn of, each text once.
func warnings(parts []part) []string {
	of := map[string][]string{}
	for _, p := range parts {
		for _, w := range p.run.Warnings {
			of[w] = append(of[w], p.run.Name)
		}
	}
	var out []string
	for _, w := range slices.Sorted(maps.Keys(of)) {
		if n := len(of[w]); n > 1 {
			out = append(out, fmt.Sprintf("%d of %d members: %s", n, len(parts), w))
		} else {
			out = append(out, of[w][0]+": "+w)
		}
	}
	return out
}
