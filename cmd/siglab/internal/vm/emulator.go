// SPDX-License-Identifier: GPL-2.0-only

package vm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Program is the emulator's name.
const Program = "qemu-system-x86_64"

// An Emulator is a QEMU that can be run.
type Emulator struct {
	Version
	Path string   // of the program, or its name
	Data []string // folders with its firmware, empty for those it knows
}

// Installed returns the installed emulator; the error says what to do when
// there is none.
func Installed(ctx context.Context) (Emulator, error) {
	return Unpacked(ctx, Program)
}

// Unpacked returns the emulator of that path with its folders of firmware.
func Unpacked(ctx context.Context, path string, data ...string) (Emulator, error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return Emulator{}, fmt.Errorf("%s is missing (run scripts/deps.sh)", path)
	}
	if err != nil {
		return Emulator{}, fmt.Errorf("%s --version: %w", path, err)
	}
	version, err := parseVersion(string(out))
	return Emulator{version, path, data}, err
}

var versionLine = regexp.MustCompile(`version (\d+)\.(\d+)(\.\d+)?`)

// A Version is the emulator's.
type Version struct {
	Major, Minor int
	Text         string // "7.2.22"
}

func parseVersion(out string) (Version, error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		first, _, _ := strings.Cut(out, "\n")
		return Version{}, fmt.Errorf("%s --version: no version in %q", Program, first)
	}
	var v Version
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	v.Text = m[1] + "." + m[2] + m[3]
	return v, nil
}

// CheckClock returns an error when the emulator cannot run the kernel
// release under the clock: QEMU before 10 never lets the second processor of
// a kernel before 6.12 start while instructions are counted.
func (v Version) CheckClock(release, clock string, cpus int) error {
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("kernel release %q: no version in it", release)
	}
	old := major < 6 || major == 6 && minor < 12
	if clock == Virtual && old && v.Major < 10 && cpus > 1 {
		return fmt.Errorf("kernel %s does not start its second CPU in virtual time under QEMU %s (use --clock real, or QEMU 10)",
			release, v.Text)
	}
	return nil
}
