// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package stress

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A tally counts the calls of each operation in memory that all workers share,
// so that a killed one has counted too. Two threads that count at the same
// instant may count one call; it is no measure, but proof of use.
type tally struct {
	file *os.File
	mem  []byte
}

const (
	begun = iota
	failed
	columns
)

func newTally(t *testing.T) *tally {
	t.Helper()
	fd, err := unix.MemfdCreate("tally", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "tally")
	if err := file.Truncate(int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	c, err := mapTally(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mapTally(file *os.File) (*tally, error) {
	mem, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return &tally{file, mem}, err
}

func (c *tally) at(op, column int) []byte { return c.mem[8*(op*columns+column):] }

func (c *tally) add(op, column int) {
	b := c.at(op, column)
	binary.NativeEndian.PutUint64(b, binary.NativeEndian.Uint64(b)+1)
}

func (c *tally) get(op, column int) uint64 { return binary.NativeEndian.Uint64(c.at(op, column)) }

// report prints all counts, and fails the test for an operation that was
// never done well: it would test nothing.
func (c *tally) report(t *testing.T, counts map[string]int) {
	t.Helper()
	total := uint64(0)
	for i, op := range operations {
		bad := c.get(i, failed)
		ok := c.get(i, begun) - bad
		total += ok + bad
		fmt.Printf("fuzz: %-22s %8d worked %8d failed\n", op.name, ok, bad)
		if ok == 0 && op.weight > 0 {
			t.Errorf("%s: never worked, failed %d times", op.name, bad)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("fuzz: %-22s %8d\n", name, counts[name])
	}
	fmt.Printf("fuzz: %d operations\n", total)
}
