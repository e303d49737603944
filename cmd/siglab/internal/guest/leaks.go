// SPDX-License-Identifier: GPL-2.0-only

package guest

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// leakAge is a little more than what kmemleak lets memory live before it
// calls it leaked (MSECS_MIN_AGE in mm/kmemleak.c).
const leakAge = 5500 * time.Millisecond

// reportLeaks makes a kernel with kmemleak look for memory that nothing points
// to, and prints on the console where it was allocated. The kernel's own line
// about it makes the run fail.
func reportLeaks() error {
	const path = "/sys/kernel/debug/kmemleak"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	time.Sleep(leakAge)
	for range 2 { // the first scan only takes the checksums of what is new
		if err := os.WriteFile(path, []byte("scan"), 0); err != nil {
			return fmt.Errorf("look for leaks: %w", err)
		}
	}
	leaks, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("look for leaks: %w", err)
	}
	if len(leaks) > 0 {
		fmt.Fprintf(os.Stderr, "%.16384s", leaks)
	}
	return nil
}
