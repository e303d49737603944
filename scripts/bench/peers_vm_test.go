// SPDX-License-Identifier: GPL-2.0-only

//go:build vm

package main

import (
	"context"
	"testing"
)

// What the programs of rt-tests measure and ours measure the same is the same
// to within 10 %, once what they do besides is counted.
func TestPeers(t *testing.T) {
	t.Parallel()
	rows, err := builtPrograms(t).comparePeers(context.Background(), "6.12")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Log(r.line())
		if !r.explained() {
			t.Errorf("%s: the ratio %.3f is not explained", r.name, r.ratio())
		}
	}
}
