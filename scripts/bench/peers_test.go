// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadPeers(t *testing.T) {
	var histogram strings.Builder
	fmt.Fprintf(&histogram, "# /dev/cpu_dma_latency set to 0us\n# Histogram\n003500 000500\t000500\n003600 000499\t000499\n# Total: 000000999\n")
	for name, c := range map[string]struct {
		read func(outcome) (float64, error)
		o    outcome
		want float64
	}{
		"cyclictest":  {ofHistogram, outcome{Stdout: histogram.String()}, 3500},
		"too few":     {ofHistogram, outcome{Stdout: "000012 000003\n"}, -1},
		"signaltest":  {ofJSON(""), outcome{File: `{"thread": {"0": {"cycles": 9, "avg": 14.15}, "1": {"avg": 700}}}`}, 14150},
		"sigwaittest": {ofJSON("receiver"), outcome{File: `{"thread": {"0": {"sender": {"cpu": 0}, "receiver": {"avg": 7.23}}}}`}, 7230},
		"no thread":   {ofJSON(""), outcome{File: `{"thread": {}}`}, -1},
		"no part":     {ofJSON("receiver"), outcome{File: `{"thread": {"0": {}}}`}, -1},
		"no JSON":     {ofJSON(""), outcome{}, -1},
		"hackbench":   {ofHackbench, outcome{Stdout: "Running in process mode\nTime: 0.212\n"}, 2120},
		"no time":     {ofHackbench, outcome{Stdout: "Usage\n"}, -1},
	} {
		got, err := c.read(c.o)
		if (err != nil) != (c.want < 0) || err == nil && (got < c.want-0.01 || got > c.want+0.01) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestPeersExplained(t *testing.T) {
	row := func(theirs, mine, besides, finest float64) compared {
		return compared{peer{name: "p", what: "w", program: "o", finest: finest, moreText: "more"}, theirs, mine, besides}
	}
	var rows []compared
	for _, c := range []struct {
		compared
		want bool
	}{
		{row(1000, 901, 0, 0), true}, {row(1000, 899, 0, 0), false}, {row(1000, 1099, 0, 0), true}, {row(1000, 1101, 0, 0), false},
		{row(1000, 800, 190, 0), true}, {row(1000, 800, 90, 0), false}, {row(1000, 2100, 0, 1000), true},
	} {
		if got := c.explained(); got != c.want {
			t.Errorf("%+v: %v", c.compared, got)
		}
		rows = append(rows, c.compared)
	}
	var text strings.Builder
	err := printPeers(&text, "6.12", rows)
	if err == nil || strings.Count(err.Error(), "is not explained") != 3 {
		t.Errorf("%v", err)
	}
	if lines := strings.Count(text.String(), "\n"); lines != 2+len(rows)+2 || !strings.Contains(text.String(), "p                1000      800  0.800  w (o)") || !strings.Contains(text.String(), "990  0.990  more") {
		t.Error(text.String())
	}
}

// A peer that fails is named with what it said.
func TestPeerFails(t *testing.T) {
	outcomes, jobs := make([]outcome, len(peers)+3), make([]job, len(peers)+3)
	outcomes[1], jobs[1].name = outcome{Exit: 1, Stderr: "no such option\n"}, "sigwaittest"
	if _, err := readPeers(outcomes, jobs); err == nil || !strings.Contains(err.Error(), "sigwaittest: exit status 1: no such option") {
		t.Errorf("%v", err)
	}
	outcomes[1] = outcome{}
	if _, err := readPeers(outcomes, jobs); err == nil {
		t.Error("no figures, and no error")
	}
}
