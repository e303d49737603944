// SPDX-License-Identifier: GPL-2.0-only

package host

import (
	"encoding/json"
	"fmt"
)

// LabVariable is the environment variable in which the lab describes the
// virtual machine: a JSON object of strings.
const LabVariable = "SIGLAT_LAB"

// Clocks of a machine, as in run.json.
const (
	ClockReal    = "real"
	ClockVirtual = "virtual" // one instruction is one nanosecond
)

// Lab decodes the value of [LabVariable]; nil for an empty one.
func Lab(value string) (map[string]string, error) {
	if value == "" {
		return nil, nil
	}
	var lab map[string]string
	if err := json.Unmarshal([]byte(value), &lab); err != nil {
		return nil, fmt.Errorf("environment variable %s: %w", LabVariable, err)
	}
	return lab, nil
}

// Clock returns the clock of a machine with these lab facts.
func Clock(lab map[string]string) string {
	if lab["clock"] == ClockVirtual {
		return ClockVirtual
	}
	return ClockReal
}
