// SPDX-License-Identifier: GPL-2.0-only

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"siglat/cmd/internal/cli"
	"siglat/cmd/internal/host"
	"siglat/cmd/sigwait/internal/doctor"
)

const doctorName = "doctor"

// doctorCommand prints what on this host disturbs a measurement.
func doctorCommand(args []string, root fs.FS, probe func(device string) error, stdout io.Writer) error {
	c := doctorUsage()
	h := doctor.Host{Root: root, Limits: limits()}
	f := c.Group("Flags")
	f.IntVar(&h.CPU, "cpu", 0, "`CPU` on which signals are to be received")
	device := f.String("device", defaultDevice, "`PATH` of the module's device")
	strict := f.Bool("strict", false, "exit status 3 where something is bad")
	asJSON := f.Bool("json", false, "print JSON")
	operands, err := c.Parse(args, stdout)
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return cli.Usagef("operand %.40q: %s has none", operands[0], c.Name)
	}
	if online := host.Read(root, h.CPU).CPUsOnline; h.CPU < 0 || online != "" && !host.Listed(online, h.CPU) {
		return cli.Usagef("--cpu %d is not online; online are %s", h.CPU, online)
	}
	h.Device = probe(*device)
	found := doctor.Examine(h)
	if *asJSON {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(found)
	} else {
		_, err = io.WriteString(stdout, doctorText(found))
	}
	if err != nil {
		return outputError(err)
	}
	if *strict && doctor.Worst(found) == doctor.Bad {
		return cli.Exceededf("something is bad for measurements on CPU %d", h.CPU)
	}
	return nil
}

func doctorUsage() *cli.Command {
	return &cli.Command{Name: "sigwait doctor", Synopsis: "[flags]",
		About: `Lists what on this host disturbs a measurement of latencies, with its effect and
its remedy. It changes nothing; scripts/tune-host.sh does, and undoes it.`,
		Exit:     "3 --strict, and something is bad",
		Examples: []string{"sigwait doctor --cpu 3", "sigwait doctor --json | jq '.[] | select(.level == \"bad\")'"}}
}

// doctorText prints each finding, what is wrong with its effect and remedy.
func doctorText(found []doctor.Finding) string {
	var b strings.Builder
	count := map[doctor.Level]int{}
	for _, f := range found {
		count[f.Level]++
		fmt.Fprintf(&b, "%-8s %-18s %s\n", f.Level, f.Check, f.State)
		if f.Effect != "" {
			fmt.Fprintf(&b, "%9seffect: %s\n%9sremedy: %s\n", "", f.Effect, "", f.Remedy)
		}
	}
	fmt.Fprintf(&b, "%d good, %d bad, %d to note, %d not known\n", count[doctor.Good], count[doctor.Bad], count[doctor.Note], count[doctor.Unknown])
	return b.String()
}

// limits reads those of this process.
func limits() doctor.Limits {
	soft := func(resource int) uint64 {
		var l unix.Rlimit
		if unix.Getrlimit(resource, &l) != nil {
			return 0
		}
		return l.Cur
	}
	l := doctor.Limits{RTPriority: soft(unix.RLIMIT_RTPRIO), PendingSignals: soft(unix.RLIMIT_SIGPENDING), LockedBytes: soft(unix.RLIMIT_MEMLOCK)}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) == nil {
		l.Nice = data[0].Effective&(1<<unix.CAP_SYS_NICE) != 0
		l.IPCLock = data[0].Effective&(1<<unix.CAP_IPC_LOCK) != 0
	}
	return l
}

// thisHost is the file system that the kernel's files are read from.
var thisHost = os.DirFS("/")
