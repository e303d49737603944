// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"bytes"
	"fmt"

	"siglat/analysis/recording"
)

// A format is a kind of file. Sniff looks at the first bytes of a file, up to
// peekSize of them, which hold something but blanks.
type format struct {
	name  string
	about string
	sniff func(head []byte) bool
	read  func(*source) ([]*recording.Recording, error)
	lines bool // every line has an end, in all that its tool writes
}

// formats are tried in this order.
var formats = []format{
	{"raw", "jitterdebugger's samples.raw", sniffRaw, readRaw, false},
	{"raw-csv", "jitterdebugger's samples as CSV", sniffRawCSV, readRawCSV, true},
	{"hlog", "HdrHistogram log", sniffHlog, readHlog, false},
	{"json", "JSON of rt-tests, jitterdebugger or sigreport export", sniffJSON, readJSON, false},
	{"csv", "CSV of sigreport export", sniffCSV, readCSV, true},
	{"gnuplot", "gnuplot data of sigreport export", sniffGnuplot, readGnuplot, true},
	{"rtla", "rtla timerlat hist or osnoise hist", sniffRTLA, readRTLA, true},
	{"xenomai-text", "output of Xenomai's latency", sniffXenoText, readXenoText, true},
	{"xenomai", "Xenomai's latency -g", sniffXenomai, readXenomai, true},
	{"latmus", "EVL's latmus -g", sniffLatmus, readLatmus, true},
	{"latency-hist", "latency_hist of a CPU", sniffLatencyHist, readLatencyHist, true},
	{"latency-max", "latency_hist's maximum of a CPU", sniffMaxLatency, readMaxLatency, true},
	{"cyclictest", "cyclictest's output or histogram, OSADL plot data", sniffCyclictest, readCyclictest, true},
	{"plain", "one integer (ns) per line", sniffPlain, readPlain, true},
}

// Formats yields the names that [Reader.Format] takes, and what they are.
func Formats() (names, about []string) {
	for _, f := range formats {
		names, about = append(names, f.name), append(about, f.about)
	}
	return names, about
}

func formatNamed(name string) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	return nil
}

// converters turn what starts with a mark into something that can be read.
var converters = []struct{ mark, about, command string }{
	{"\x1f\x8b", "compressed with gzip", "zcat"},
	{"\xfd7zXZ", "compressed with xz", "xzcat"},
	{"BZh", "compressed with bzip2", "bzcat"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "zstdcat"},
	{"\xff\xfe", "text in UTF-16", "iconv -f utf-16"},
	{"\xfe\xff", "text in UTF-16", "iconv -f utf-16"},
}

// unknown says of a file in no known format what it is taken for.
func unknown(s *source, head []byte) error {
	for _, c := range converters {
		if bytes.HasPrefix(head, []byte(c.mark)) {
			return fmt.Errorf("read %s: %s; use: %s FILE | sigreport stats -", s.path, c.about, c.command)
		}
	}
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return fmt.Errorf("read %s: binary file of no known format", s.path)
	}
	line := 1 + bytes.Count(head[:len(head)-len(bytes.TrimLeft(head, " \t\r\n"))], []byte("\n"))
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return s.errorf(line, "%s, and the file is in no other known format; --help lists them at --format", notInteger(first))
}

// notInteger describes a line, shortened, that should have been an integer.
func notInteger(line []byte) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) > 40 {
		return fmt.Sprintf("%q... is not an integer", line[:40])
	}
	return fmt.Sprintf("%q is not an integer", line)
}
