// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"siglat/analysis/recording"
)

func TestBlameRows(t *testing.T) {
	hog := recording.Task{Comm: "<hog>", PID: 9, Policy: "fifo", Priority: 50}
	me := recording.Task{Comm: "me", PID: 7, Policy: "other"}
	r := lab("one", "same", "fifo", "sigwait", 100, 5000)
	if rows := blameRows(r); rows != nil {
		t.Errorf("without blame: %+v", rows)
	}
	for range 5 {
		r.Longest = append(r.Longest, recording.Sample{Seq: 3, CPU: 1, Blame: &recording.Blame{
			PartsNS: map[string]int64{"timer": 100_000, "switch": 800_000, "user": 100_000}, Victim: me, Culprit: &hog, CulpritNS: 800_000,
			Ran: []recording.Turn{{Task: recording.Task{Comm: "idle"}, FromNS: 1_200_000, ToNS: 900_000}, {Task: hog, FromNS: 900_000, ToNS: 100_000}, {Task: me, FromNS: 100_000}},
		}})
	}
	rows := blameRows(r)
	if len(rows) != maxBlamed || rows[0].Culprit != "<hog>/9, FIFO 50 had the CPU for "+ns(800_000)+" of it" || !strings.HasSuffix(rows[0].Title, ns(1_000_000)+" from the expiry of the timer") {
		t.Fatalf("%+v", rows)
	}
	svg := string(rows[0].SVG)
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	for _, want := range []string{
		`<rect x="225.0" y="0" width="600.0" height="22" fill="var(--run1)"`, // the hog, after a quarter of the time
		`<rect x="150.0" y="26" width="75.0" height="22" fill="var(--run0)"`, // the timer was late
		`&lt;hog&gt;</text>`, `>switch</text>`, `>received</text>`, ">−" + ns(1_200_000) + "</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if rows[0].Before != "" {
		t.Error("a long time before is drawn, and there is none")
	}
	r.Longest[0].Blame.Ran[0].FromNS = 11_000_000
	rows = blameRows(r)
	svg, before := string(rows[0].SVG), string(rows[0].Before)
	if !strings.Contains(svg, `<rect x="0.0" y="0" width="252.0" height="22" fill="var(--muted)"`) || !strings.Contains(before, `width="826.4" height="22" fill="var(--muted)"`) || !strings.Contains(before, "idle, 10100000 ns") {
		t.Errorf("near:\n%s\nall:\n%s", svg, before)
	}
	page := write(t, []*recording.Recording{r}, Options{})
	if !strings.Contains(page, "Who was it?") || !strings.Contains(page, "&lt;hog&gt;/9, FIFO 50 had the CPU") {
		t.Error("the page does not tell of the hog")
	}
}
