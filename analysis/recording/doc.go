// SPDX-License-Identifier: GPL-2.0-only

// Package recording defines, writes and reads run directories: run.json,
// latency.hlog and samples.txt.
package recording
