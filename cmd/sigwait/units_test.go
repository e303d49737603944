// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestFleetFiles: the command lines of scripts/fleet are right, and the same.
func TestFleetFiles(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../../scripts/fleet", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, line, _ := strings.Cut(strings.ReplaceAll(read("siglat.service"), "\\\n", " "), "ExecStart=/usr/bin/sigwait ")
	line, _, _ = strings.Cut(line, "\n")
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^ +- (--\S+)$`).FindAllStringSubmatch(read("daemonset.yaml"), -1) {
		listed = append(listed, m[1])
	}
	for name, args := range map[string][]string{"siglat.service": strings.Fields(line), "daemonset.yaml": listed} {
		o, err := parse(args, nil)
		if err != nil {
			t.Fatalf("%s: %q: %v", name, args, err)
		}
		if o.rotate != time.Hour || o.metrics != ":9464" || o.config.Priority != 80 || o.config.Count != 0 || o.duration < 1000*24*time.Hour || o.out != "/var/lib/siglat" {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
