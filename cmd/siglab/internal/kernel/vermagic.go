// SPDX-License-Identifier: GPL-2.0-only

package kernel

import (
	"debug/elf"
	"fmt"
	"strings"
)

// CheckModule returns an error when the module file is not one for the
// kernel release (uname -r), as its vermagic tells.
func CheckModule(path, release string) error {
	magic, err := vermagic(path)
	if err != nil {
		return err
	}
	if built, _, _ := strings.Cut(magic, " "); built != release {
		return fmt.Errorf("module %s is for kernel %s, not for %s (leave --module out and it is built to match)",
			path, built, release)
	}
	return nil
}

func vermagic(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("read module %s: %w", path, err)
	}
	defer f.Close()
	s := f.Section(".modinfo")
	if s == nil {
		return "", fmt.Errorf("read module %s: not a kernel module (no .modinfo)", path)
	}
	data, err := s.Data()
	if err != nil {
		return "", fmt.Errorf("read module %s: %w", path, err)
	}
	for entry := range strings.SplitSeq(string(data), "\x00") {
		if magic, ok := strings.CutPrefix(entry, "vermagic="); ok {
			return magic, nil
		}
	}
	return "", fmt.Errorf("read module %s: no vermagic in it", path)
}
