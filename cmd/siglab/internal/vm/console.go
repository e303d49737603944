// SPDX-License-Identifier: GPL-2.0-only

package vm

import (
	"bytes"
	"regexp"
	"strings"
)

// trouble matches kernel messages after which nothing that the guest says
// can be trusted. Plain text such as "Spectre V2 : WARNING: ..." is none.
var trouble = regexp.MustCompile(`Kernel panic - not syncing|\bBUG: |kernel BUG at|\bOops: ` +
	`|general protection fault.*(SMP|PREEMPT)|Unable to handle kernel|unable to handle (kernel )?page fault` +
	`|\bWARNING: (CPU: \d|possible |inconsistent |suspicious |bad |lock held|held lock|Nested lock|\S+:\d+ at )` +
	`|\bBUG \S+ \(|UBSAN: |INFO: trying to register non-static key|turning off the locking correctness validator` +
	`|kmemleak: \d+ new suspected memory leaks` +
	`|rcu: INFO: .*(self-)?detected.* stall|rcu: .*kthread (timer|starved)|INFO: task .* blocked for more than` +
	`|soft lockup|hard LOCKUP|refcount_t: |list_(add|del) corruption|ODEBUG: ` +
	`|sched: RT throttling activated.*BUG|siglab init: `)

const keptLines = 12

// A console follows the kernel's messages.
type console struct {
	partial []byte
	lines   []string // the last keptLines whole lines
	first   []string // from two lines before the first troubled one
}

// feed takes the next bytes.
func (c *console) feed(p []byte) {
	c.partial = append(c.partial, p...)
	for {
		i := bytes.IndexByte(c.partial, '\n')
		if i < 0 {
			return
		}
		c.line(strings.TrimRight(string(c.partial[:i]), "\r"))
		c.partial = c.partial[i+1:]
	}
}

func (c *console) line(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if c.lines = append(c.lines, s); len(c.lines) > keptLines {
		c.lines = c.lines[1:]
	}
	switch {
	case len(c.first) == 0 && trouble.MatchString(s):
		c.first = append(c.first, c.lines[max(0, len(c.lines)-3):]...)
	case len(c.first) > 0 && len(c.first) < keptLines:
		c.first = append(c.first, s)
	}
}

// last returns the newest lines, an unfinished one included.
func (c *console) last() []string {
	lines := c.lines
	if s := strings.TrimSpace(string(c.partial)); s != "" {
		lines = append(lines[:len(lines):len(lines)], s)
	}
	return lines
}
