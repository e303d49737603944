// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"siglat/analysis/recording"
	"siglat/sigwait/blame"
)

// blameFile in a run directory tells who was to blame, for a person.
const blameFile = "blame.txt"

// ways lists the parts of a sample's way in their order.
var ways = []string{blame.Timer, blame.Module, blame.WakeUp, blame.Switch, blame.User, blame.Own, blame.Unknown}

// blameText prints the culprits of a run and its worst samples.
func blameText(w io.Writer, run *recording.Run) error {
	out := bufio.NewWriter(w)
	culprits(out, run.Culprits, len(run.Culprits))
	for i, s := range run.Longest {
		b := s.Blame
		if b == nil {
			continue
		}
		fmt.Fprintf(out, "\n%d. latency %d ns, signal %d, CPU %d, %s, %.9f s after boot\n", i+1, s.LatencyNS, s.Seq, s.CPU,
			b.Wall.UTC().Format(time.RFC3339Nano), float64(b.BootNS)/1e9)
		fmt.Fprintf(out, "   victim       %s\n", taskText(&b.Victim))
		if b.Culprit != nil {
			fmt.Fprintf(out, "   culprit      %s, for %d ns\n", taskText(b.Culprit), b.CulpritNS)
		}
		if b.Before != nil {
			fmt.Fprintf(out, "   ran before   %s\n", taskText(b.Before))
		}
		if b.Interrupted != nil {
			fmt.Fprintf(out, "   interrupted  %s\n", taskText(b.Interrupted))
		}
		fmt.Fprintf(out, "   parts in ns  %s\n", strings.Join(partTexts(b), ", "))
		for j, n := range b.Interrupts {
			head := "interrupts "
			if j > 0 {
				head = "           "
			}
			fmt.Fprintf(out, "   %s  %s: %d, %d ns\n", head, n.Name, n.Count, n.NS)
		}
	}
	return out.Flush()
}

// culprits prints the first culprits of a ranking.
func culprits(w io.Writer, list []recording.Culprit, most int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%-40s %8s %12s %12s\n", "who had the CPU meanwhile", "samples", "sum ns", "worst ns")
	for _, c := range list[:min(most, len(list))] {
		fmt.Fprintf(w, "%-40s %8d %12d %12d\n", taskText(&c.Task), c.Count, c.TotalNS, c.WorstNS)
	}
}

func partTexts(b *recording.Blame) (texts []string) {
	for _, name := range ways {
		if ns, ok := b.PartsNS[name]; ok {
			texts = append(texts, fmt.Sprintf("%s %d", name, ns))
		}
	}
	if len(b.Unseen) > 0 {
		texts = append(texts, "not told apart: "+strings.Join(b.Unseen, " "))
	}
	return texts
}

func taskText(t *recording.Task) string {
	return blame.Task{Name: t.Comm, PID: t.PID, Policy: t.Policy, Priority: t.Priority, Nice: t.Nice}.String()
}
