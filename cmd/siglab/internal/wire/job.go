// SPDX-License-Identifier: GPL-2.0-only

package wire

import "siglat/cmd/siglab/internal/load"

// JobPath is where the initramfs holds the Job, as JSON.
const JobPath = "/siglab.json"

// ModulePath is where the initramfs holds the kernel module.
const ModulePath = "/siglat.ko"

// ResultsPath is the guest's folder whose content comes back to the host.
const ResultsPath = "/results"

// Channel is the guest's device for frames.
const Channel = "/dev/ttyS1"

// A Job is what a guest shall do.
type Job struct {
	Args       []string   `json:"args"` // command; Args[0] is a path in the guest
	Load       *load.Load `json:"load"` // beside the command, if not nil; Args[0] is a path in the guest
	Env        []string   `json:"env"`
	Dir        string     `json:"dir"`         // working directory of the command
	Module     bool       `json:"module"`      // load ModulePath before the command
	ModuleArgs string     `json:"module_args"` // parameters as on insmod's command line
	Settle     bool       `json:"settle"`      // wait for the final clock source first
	Quiet      bool       `json:"quiet"`       // drop the command's standard output
	Results    bool       `json:"results"`     // send ResultsPath back
}
