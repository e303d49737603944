// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"siglat/analysis/baseline"
)

// A peer is a program of Debian's rt-tests and what of ours measures the same.
// Its figure and ours are times in ns.
type peer struct {
	name    string
	args    []string
	bound   bool // to CPU 0, by whom starts it: it does not do so itself
	read    func(outcome) (float64, error)
	finest  float64 // ns by which its figure may be too low, since it counts in longer steps
	program string  // of ours
	ours    func(mine) float64
	what    string
	// What the peer does besides, where it is known and measured.
	more     func(mine) float64
	moreText string
}

// mine is what our programs measured.
type mine struct {
	timers  []int64            // samples of sigwait --source timer
	threads *baseline.Baseline // with rings of threads, FIFO 80
	other   *baseline.Baseline // with rings of processes, SCHED_OTHER
}

// cost returns that of a call so many times, of threads at FIFO 80.
func (m mine) cost(name string, times int64) float64 { return float64(times) * cost(m.threads, name) }

func cost(b *baseline.Baseline, name string) float64 {
	ns, _ := b.Cost(name)
	return float64(ns)
}

// Rounds of the peers; hackbench sends more, since it counts in ms.
const (
	peerRounds   = 1000
	peerMessages = 100_000
)

// scratch in a command line is a file whose content is in the outcome.
const scratch = "@file"

var peers = []peer{
	{name: "cyclictest", args: []string{"--quiet", "--nsecs", "--histogram=100000", "--mlockall", "--affinity=0", "--threads=1",
		"--priority=80", "--interval=1000", "--loops=" + strconv.Itoa(peerRounds)}, read: ofHistogram,
		program: "sigwait --source timer", ours: func(m mine) float64 { return float64(quantile(m.timers, 0.5)) },
		what: "expiry of a timer to a thread, median"},
	{name: "sigwaittest", args: ofPair, read: ofJSON("receiver"),
		program: "baseline, signal", ours: func(m mine) float64 { return float64(m.threads.Signal.PassNS) },
		what:     "signal from a thread to another that then sleeps, mean",
		more:     func(m mine) float64 { return m.cost(baseline.CostMask, 2) + m.cost(baseline.CostClockRead, 1) },
		moreText: "pthread_kill(3) sets the signal mask twice; a clock is read"},
	{name: "signaltest", args: []string{"--quiet", "--mlockall", "--affinity=0", "--threads=2", "--prio=80",
		"--loops=" + strconv.Itoa(peerRounds), "--json=" + scratch}, read: ofJSON(""), finest: 1000,
		program: "baseline, signal", ours: func(m mine) float64 { return 2 * float64(m.threads.Signal.PassNS) },
		what:     "signal to another thread and back, mean",
		more:     func(m mine) float64 { return m.cost(baseline.CostMask, 4) + m.cost(baseline.CostClockRead, 3) },
		moreText: "pthread_kill(3) sets the signal mask twice, each thread; clocks are read"},
	{name: "ptsematest", args: ofPair, read: ofJSON("receiver"),
		program: "baseline, futex", ours: func(m mine) float64 { return float64(m.threads.Futex.PassNS) },
		what: "mutex from a thread to another that then sleeps, mean"},
	{name: "hackbench -p", args: []string{"--pipe", "--groups=1", "--fds=1", "--datasize=8", "--loops=" + strconv.Itoa(peerMessages)},
		bound: true, read: ofHackbench,
		program: "baseline, pipe", ours: func(m mine) float64 { return cost(m.other, baseline.CostBurst) },
		what: "messages through a pipe that fills, each"},
}

var ofPair = []string{"--quiet", "--affinity=0", "--threads=1", "--prio=80", "--interval=1000",
	"--loops=" + strconv.Itoa(peerRounds), "--json=" + scratch}

// ofHistogram returns the median of cyclictest's histogram with classes of 1 ns.
func ofHistogram(o outcome) (float64, error) {
	var samples []int64
	for line := range strings.Lines(o.Stdout) {
		var ns, n int64
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%d %d", &ns, &n); err == nil {
			for range n {
				samples = append(samples, ns)
			}
		}
	}
	if len(samples) < peerRounds*9/10 {
		return 0, fmt.Errorf("%d of %d samples in its histogram", len(samples), peerRounds)
	}
	return float64(quantile(samples, 0.5)), nil
}

// ofJSON returns the mean of the first thread, of a part of it where it has
// some, from a file of rt-tests in us.
func ofJSON(part string) func(outcome) (float64, error) {
	return func(o outcome) (float64, error) {
		var doc struct {
			Thread map[string]map[string]json.RawMessage `json:"thread"`
		}
		if err := json.Unmarshal([]byte(o.File), &doc); err != nil {
			return 0, fmt.Errorf("its JSON: %w", err)
		}
		first := doc.Thread["0"]
		if part != "" {
			text := first[part]
			first = nil
			if err := json.Unmarshal(text, &first); err != nil {
				return 0, fmt.Errorf("its JSON of the %s: %w", part, err)
			}
		}
		us, err := strconv.ParseFloat(string(first["avg"]), 64)
		return us * 1000, err
	}
}

func ofHackbench(o outcome) (float64, error) {
	_, text, _ := strings.Cut(o.Stdout, "Time: ")
	s, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return s * 1e9 / peerMessages, err
}

// near is how far the ratio may be from 1.
const near = 0.10

// A compared row is a peer's figure, ours, and what the peer does besides, in
// ns.
type compared struct {
	peer
	theirs, mine, besides float64
}

func (c compared) ratio() float64 { return c.mine / c.theirs }

// within tells whether a figure is as near to a value that the peer's may stand
// for.
func (c compared) within(ns float64) bool {
	return ns >= (1-near)*c.theirs && ns <= (1+near)*(c.theirs+c.finest)
}

func (c compared) explained() bool { return c.within(c.mine) || c.within(c.mine+c.besides) }

func (c compared) line() string {
	text := fmt.Sprintf("%-12s %8.0f %8.0f %6.3f  %s (%s)", c.name, c.theirs, c.mine, c.ratio(), c.what, c.program)
	if c.besides > 0 {
		text += fmt.Sprintf("\n%12s %8s %8.0f %6.3f  %s", "", "", c.mine+c.besides, (c.mine+c.besides)/c.theirs, c.moreText)
	}
	return text
}

// comparePeers measures the peers and ours in one boot.
func (p programs) comparePeers(ctx context.Context, kernel string) ([]compared, error) {
	var jobs []job
	for i, q := range peers {
		name := strings.Fields(q.name)[0]
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("%w: scripts/deps.sh peers installs it", err)
		}
		guest := "/bin/" + filepath.Base(path)
		p.copies = append(p.copies, path+":"+guest)
		jobs = append(jobs, job{args: append([]string{guest}, peers[i].args...), bound: q.bound, name: q.name})
	}
	count := strconv.Itoa(peerRounds)
	base := []string{guestGo, "baseline", "--json", "--cpu", "0", "--procs", "2", "--kib", "0", "--count", "10", "--repeats", "3"}
	jobs = append(jobs,
		job{name: "sigwait --source timer", args: []string{guestGo, "--source", "timer", "--cpu", "0", "--fifo", "80", "--period", "1ms", "--count", count, "--dma-latency", "0"}},
		job{name: "sigwait baseline --threads", args: append(base[:len(base):len(base)], "--fifo", "80", "--threads")},
		job{name: "sigwait baseline --fifo 0", args: append(base[:len(base):len(base)], "--fifo", "0")})
	outcomes, err := p.boot(ctx, kernel, jobs)
	if err != nil {
		return nil, err
	}
	return readPeers(outcomes, jobs)
}

func readPeers(outcomes []outcome, jobs []job) ([]compared, error) {
	for i, o := range outcomes {
		if o.Exit != 0 {
			return nil, fmt.Errorf("%s: exit status %d: %s", jobs[i].name, o.Exit, strings.TrimSpace(o.Stderr+o.Stdout))
		}
	}
	var m mine
	ours := outcomes[len(peers):]
	for line := range strings.Lines(ours[0].Stdout) {
		ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("sigwait: %w", err)
		}
		m.timers = append(m.timers, ns)
	}
	if err := errors.Join(json.Unmarshal([]byte(ours[1].Stdout), &m.threads), json.Unmarshal([]byte(ours[2].Stdout), &m.other)); err != nil {
		return nil, fmt.Errorf("sigwait baseline: %w", err)
	}
	if len(m.timers) == 0 || m.threads.Signal == nil || m.threads.Futex == nil {
		return nil, errors.New("sigwait: figures are missing")
	}
	var rows []compared
	for i, q := range peers {
		theirs, err := q.read(outcomes[i])
		if err != nil || theirs <= 0 {
			return nil, fmt.Errorf("%s: %v ns, %w", q.name, theirs, err)
		}
		row := compared{peer: q, theirs: theirs, mine: q.ours(m)}
		if q.more != nil {
			row.besides = q.more(m)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func printPeers(w io.Writer, kernel string, rows []compared) error {
	fmt.Fprintf(w, "kernel %s, virtual time\n%-12s %8s %8s %6s\n", kernel, "peer", "peer ns", "ours ns", "ratio")
	var err error
	for _, r := range rows {
		fmt.Fprintln(w, r.line())
		if !r.explained() {
			err = errors.Join(err, fmt.Errorf("%s: the ratio %.3f is not explained", r.name, r.ratio()))
		}
	}
	return err
}
