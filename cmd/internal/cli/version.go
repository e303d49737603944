// SPDX-License-Identifier: GPL-2.0-only

package cli

import "runtime/debug"

// Version returns the command's name and the version that it was built from:
// a release, else a commit, else "devel".
func Version(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return name + " devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return name + " " + v
	}
	revision, modified := "devel", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	return name + " " + revision + modified
}
