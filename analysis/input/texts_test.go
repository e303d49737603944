// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"encoding/binary"
	"strings"
	"testing"
)

func record(order binary.AppendByteOrder, thread uint32, sec, ns, value uint64) []byte {
	b := order.AppendUint32(nil, thread)
	for _, v := range []uint64{sec, ns, value} {
		b = order.AppendUint64(b, v)
	}
	return b
}

// texts are files after the grammar of their tools; want is "|"-joined.
var texts = []struct{ name, text, want string }{
	{"verbose", "# /dev/cpu_dma_latency set to 0us\n       0:       0:      23\n       1:       0:      31\n       0:       1:      25\n",
		"stdin:thread0 2 23000 24000 25000 0|stdin:thread1 1 31000 31000 31000 0"},
	{"verbose with SMI", "       0:       0:      23       1\n       0:       1:      31       0\n", "stdin:thread0 2 23000 27000 31000 0"},
	{"byte order mark", "\ufeff5\n7\n", "stdin 2 5 6 7 ?"},
	{"JSON after a byte order mark", "\ufeff{\"file_version\": 1, \"thread\": {\"0\": {\"cycles\": 1, \"min\": 7, \"max\": 7, \"avg\": 7.0}}}", "stdin:thread0 1 7000 7000 7000 ?"},
	{"status", "policy: fifo: loadavg: 0.00 0.01 0.05 1/100 2000\n\nT: 0 ( 2002) P:80 I:500 C:1499941 Min:      8 Act:   10 Avg:   12 Max:      99\n\x1b[1AT: 0 ( 2002) P:80 I:500 C:1499942 Min:      7 Act:   10 Avg:   12 Max:     100\n",
		"stdin:thread0 1499942 7000 12000 100000 ?"},
	{"sum column, no total, no empty rows", "# Histogram\n000002 000001\t000003\t000004\n000009 000002\t000000\t000002\n# Min Latencies: 00002 00002\n# Avg Latencies: 00007 00002\n# Max Latencies: 00015 00002 00015\n# Histogram Overflows: 00001 00000 00001\n# Histogram Overflow at cycle number:\n# Thread 0: 00003\n# Thread 1:\n",
		"stdin:thread0 4 2000 7000 15000 1|stdin:thread1 3 2000 2000 2000 0"},
	{"all values above the classes", "# Histogram\n000002 000001\t000000\n# Min Latencies: 00002 00500\n# Avg Latencies: 00002 00600\n# Max Latencies: 00002 00700\n# Histogram Overflows: 00000 00010\n",
		"stdin:thread0 1 2000 2000 2000 0|stdin:thread1 10 500000 600000 700000 10"},
	{"JSON, all values above the classes", "{\"file_version\": 1, \"thread\": {\"0\": {\"histogram\": {\"5\": 2}, \"cycles\": 2, \"min\": 5, \"max\": 5, \"avg\": 5.00}, \"1\": {\"histogram\": {}, \"cycles\": 7, \"min\": 500, \"max\": 900, \"avg\": 600.00}}}",
		"stdin:thread0 2 5000 5000 5000 0|stdin:thread1 7 500000 600000 900000 7"},
	{"rtla, all values above the classes", "# RTLA timerlat histogram\nIndex   IRQ-000   Thr-000\nover:        4         0\ncount:       4         0\nmin:       301         -\navg:       320         -\nmax:       380         -\n",
		"stdin:IRQ-000 4 301000 320000 380000 4|stdin:Thr-000 0 0 NaN 0 ?"},
	{"oslat in ns", "{\"file_version\": 1, \"thread\": {\"0\": {\"freq\": 2096, \"min\": 210, \"avg\": 1.880600, \"max\": 12345, \"duration\": 0.9, \"histogram\": {\"0.300\": 5, \"0.600\": 2, \"9.600\": 1}}}}",
		"stdin:thread0 8 210 1881 12345 1"},
	{"oslat, nothing above the last class", "{\"file_version\": 1, \"thread\": {\"0\": {\"freq\": 2096, \"min\": 0, \"avg\": 1.000000, \"max\": 0, \"duration\": 0.9, \"histogram\": {\"1\": 5}}, \"1\": {\"freq\": 2096, \"min\": 0, \"avg\": 1.500000, \"max\": 2, \"duration\": 0.9, \"histogram\": {\"1\": 5, \"2\": 1}}}}",
		"stdin:thread0 5 0 1000 0 0|stdin:thread1 6 0 1500 2000 1"},
	{"idle thread", "# Histogram\n000002 000001\t000000\n# Total: 000000001 000000000\n# Min Latencies: 00002 1000000\n# Avg Latencies: 00002 00000\n# Max Latencies: 00002 00000\n# Histogram Overflows: 00000 00000\n",
		"stdin:thread0 1 2000 2000 2000 0|stdin:thread1 0 0 NaN 0 ?"},
	{"JSON that is none", "{\n  \"file_version\": 1,\n  \"cmdline:\": \"cyclictest --x=\"a\" -q\",\n  \"resolution_in_ns\": 1,\n  \"thread\": {\n    \"0\": {\n      \"histogram\": {\"5\": 2},\n      \"cycles\": 2, \"min\": 5, \"max\": 5,\n      \"avg\": nan\n    },\n    \"10\": {\"cycles\": 0, \"min\": 1000000, \"max\": 0, \"avg\": -nan},\n    \"2\": {\"cycles\": 1, \"min\": 7, \"max\": 7, \"avg\": 7.0}\n  }\n}\n",
		"stdin:thread0 2 5 5 5 0|stdin:thread2 1 7 7 7 ?|stdin:thread10 0 0 NaN 0 ?"},
	{"no signal received", "{\"file_version\": 1, \"thread\": {\"0\": {\"sender\": {\"cpu\": 1, \"samples\": 3}, \"receiver\": {\"cpu\": 0, \"min\": -1, \"avg\": 0.0, \"max\": 0}}}}",
		"stdin:thread0 0 0 NaN 0 ?"},
	{"old jitterdebugger", "{\"cpu\": {\"0\": {\"histogram\": {\"3\": 4, \"5\": 1}, \"count\": 6, \"min\": 3, \"max\": 1200, \"avg\": 203.0}}}",
		"stdin:thread0 6 3000 203000 1200000 1"},
	{"osnoise", "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:10\nIndex   CPU-000   CPU-003\n0            10         0\n5             2         1\nover:         1         0\ncount:       13         1\nmin:          0         6\navg:       1.25      6.00\nmax:         90         6\nALL:\ncount:       14\n\n3 (1.00%) events missed, check the trace\n",
		"stdin:CPU-000 13 0 1250 90000 1|stdin:CPU-003 1 6000 6000 6000 0"},
	{"timerlat in ns, none", "# RTLA timerlat histogram\n# Time unit is nanoseconds (ns)\nIndex   IRQ-000   Thr-000\n100          3         0\nover:        0         0\ncount:       3         0\nmin:       101         -\navg:       120         -\nmax:       180         -\n",
		"stdin:IRQ-000 3 101 120 180 0|stdin:Thr-000 0 0 NaN 0 ?"},
	{"xenomai terminal", "RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)\nRTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\nRTD|      0.412|      1.571|      9.046|       0|     0|      0.412|      9.046\nHSH|--param|----range-|--samples\nHSD|    min|   0 -  1 |        1\nHSD|    avg|   0 -  1 |        3\nHSD|    avg|   1 -  2 |        4\nHSH|--param|--samples-|--average--|---stddev--\nHSS|    min|         1|      0.000|      -nan\nHSS|    avg|         7|      0.571|      0.535\n---|-----------|-----------|-----------|--------|------|-------------------------\nRTS|      0.412|      1.571|      9.046|       0|     0|    00:00:01/00:00:01\n",
		"stdin 7 412 1571 9046 0"},
	{"latmus", "# test started on: Fri\n# sampling period: 1000 microseconds\n# C-state restricted\n# peak (hhmmss): 00:00:47\n# min latency: 0.205\n# avg latency: 3.097\n# max latency: 25.510\n# sample count: 9\n0 3\n1 4\n25 2+\n",
		"stdin 9 205 3097 25510 0"},
	{"latmus without a count", "# sampling period: 1000 microseconds\n# min latency: 0.205\n# avg latency: 3.097\n# max latency: 2.510\n0 3\n1 4\n2 1\n",
		"stdin 8 205 3097 2510 0"},
	{"latency_hist", "#Minimum latency: 1 microseconds\n#Average latency: 2 microseconds\n#Maximum latency: 2000 microseconds\n#Total samples: 9\n#There are 0 samples lower than 0 microseconds.\n#There are 2 samples greater or equal than 1024 microseconds.\n#usecs\t         samples\n     1\t               4\n     2\t               3\n",
		"stdin 9 1000 2000 2000000 2"},
	{"latency_hist with values below, no minimum", "#Minimum latency: <undef> microseconds\n#Total samples: 3\n#There are 2 samples lower than -10 microseconds.\n#There are 0 samples greater or equal than 1024 microseconds.\n#usecs\t         samples\n   -10\t               3\n",
		"stdin 5 -11000 -10400 -10000 0"},
	{"latency_hist with a minimum above its classes", "#Minimum latency: 100 microseconds\n#Total samples: 3\n#There are 2 samples lower than 0 microseconds.\n#There are 0 samples greater or equal than 1024 microseconds.\n#usecs\t         samples\n     1\t               3\n",
		"stdin 5 100000 600 1000 0"},
	{"classes up to the largest number", "# RTLA timerlat histogram\n# Time unit is nanoseconds (ns)\nIndex   IRQ-000\n1            1\n9223372036854775800        3\nover:        2\ncount:       6\nmin:       1\navg:       120\nmax:       -\n",
		"stdin:IRQ-000 6 1 120 9223372036854775807 2"},
	{"max latency", "12 98 55 (3) my task <- 0 -21 swapper/0 1234.567890\n", "stdin ? 0 NaN 55000 ?"},
	{"raw little", string(append(record(binary.LittleEndian, 0, 100, 999, 7), record(binary.LittleEndian, 1, 100, 1000, 9)...)),
		"stdin:thread0 1 7000 7000 7000 0|stdin:thread1 1 9000 9000 9000 0"},
	{"raw big", string(record(binary.BigEndian, 3, 100, 999, 7)), "stdin:thread3 1 7000 7000 7000 0"},
	{"raw CSV", "0;12.000000123;7\n0;12.001000123;9\n", "stdin:thread0 2 7000 8000 9000 0"},
	{"hdr log", "#[Histogram log format version 1.3]\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n", ""},
}

func TestTexts(t *testing.T) {
	for _, c := range texts {
		recs, err := Open([]string{"-"}, strings.NewReader(c.text))
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no error", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, r := range recs {
			got = append(got, strings.Replace(figures(r), " 0 ?", " 0 ?", 1))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func TestTextErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# Histogram\n000001 000001\n", "read stdin:2: cut off: the foot"},
		{"000001 000001\t000002\n000002 000001\n", "read stdin:2: 1 counts, the rows before have 2"},
		{"000001 000001\n000002 00", "read stdin:2: cut off within"},
		{"000001 000001\n000001 000002\n", "read stdin:2: class 000001 does not ascend"},
		{"000001 000001\nhello\n", `read stdin:2: "hello" is no line of cyclictest's`},
		{"{\n\"file_version\": 1,\n\"thread\": {", "read stdin:3: unexpected end of JSON input"},
		{"{\"file_version\": 2, \"thread\": {}}", "read stdin:1: file_version 2, known is 1"},
		{"# RTLA timerlat histogram\nIndex IRQ-000\n0 1\n", "read stdin:3: cut off: no row over:"},
		{"# RTLA timerlat histogram\nIndex IRQ-000\n0 1 2\n", "read stdin:3: 2 counts, the header names 1 columns"},
		{"# h\n# ----lat min|----lat avg|----lat max|\n0 1\n0.5 3\n1.5 2\n", "read stdin:5: cut off: its first and last row"},
		{"RTT|x\nRTD|1|2|3\n", "read stdin:2: cut off: no line RTS"},
		{string(record(binary.LittleEndian, 0, 1, 1, 1)) + "\x01\x00\x00", "read stdin: cut off: 3 bytes after record 1"},
		{"#Minimum latency: 1 microseconds\n", "read stdin:1: cut off: no line #usecs"},
		{"0;1.000000001;5\n0;1.0000", "read stdin:2: "},
		{strings.Repeat("\x00", 10*rawSize), "read stdin: binary file of no known format"},
		{"\x1f\x8b\x08\x00", "read stdin: compressed with gzip; use: zcat FILE | sigreport stats -"},
		{"\xfd7zXZ\x00\x00", "read stdin: compressed with xz; use: xzcat "},
		{"BZh91AY", "read stdin: compressed with bzip2; use: bzcat "},
		{"\x28\xb5\x2f\xfd\x04", "read stdin: compressed with zstd; use: zstdcat "},
		{"\xff\xfe5\x00\n\x00", "read stdin: text in UTF-16; use: iconv -f utf-16 "},
		{"# Histogram\n000001 000001\n# Max Latencies: 18446744073709551266\n", "read stdin:3: Max Latencies: 18446744073709551266 is out of range: "},
		{"# Histogram\n000001 000001 000002\n# Total: 000000001 000000001\n# Min Latencies: 00001 00001\n# Avg Latencies: 00001 00001\n# Max Latencies: 00001 00001\n# Histogram Overflows: 00000 00000\n", "read stdin:3: thread 1: its rows hold 2 values, # Total says 1"},
		{"# Histogram\n000001 000001\n# Min Latencies: 00001\n# Max Latencies: 00001 00001\n# Total: 000000001\n# Histogram Overflows: -0001\n", "read stdin:6: thread 0: -1 values"},
		{"# Histogram\n000001 000001 000002\n# Min Latencies: 00001\n# Max Latencies: 00001\n# Total:\n\n# Avg Latencies: 00001 00001 00001\n000002 000001 000002 000003\n", "read stdin:8: 3 counts"},
		{"{\n\"file_version\": 1,\n\"thread\": {\n\"0\": {\"cycles\": 1},\n\"1\": {\n\"histogram\": {\"x\": 1},\n\"cycles\": 1}\n}}\n", "read stdin:5: thread 1: class \"x\" is not a number"},
		{"{\n\"file_version\": 1,\n\"thread\": {\n\"0\": {\"cycles\": 1},\n\"1\": {\n\"histogram\": {\"1\": 3},\n\"cycles\": 1}\n}}\n", "read stdin:5: stdin:thread1: its classes hold 3 values, its count says 1"},
		{"# RTLA timerlat histogram\nIndex IRQ-000\n0 5\nover: 0\ncount: 4\nmin: 0\navg: 0\nmax: 0\n", "read stdin:5: stdin:IRQ-000: its classes hold 5 values, its count says 4"},
		{"# h\n# ----lat min|----lat avg|----lat max|\n0 1\n0.5 0\n1.5 2\n2 1\n", "read stdin:4: a count of 0"},
		{"#[Histogram log format version 1.3]\n\"StartTimestamp\",\"Inter", "read stdin:2: cut off: "},
		{"HSH|--param|----range-|--samples\nHSD|    avg|   -9223372036854775 -  9223372036854775 |        3\n", "read stdin:2: HSD: "},
	} {
		if _, err := Open([]string{"-"}, strings.NewReader(c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.30q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestMissingCycles has samples of each cycle, and of some only as --oscope
// leaves them.
func TestMissingCycles(t *testing.T) {
	recs, err := Open([]string{"-"}, strings.NewReader("0: 0: 5\n1: 3: 9\n0: 1: 6\n1: 7: 8\n0: 2: 4\n"))
	if err != nil || len(recs) != 2 {
		t.Fatal(recs, err)
	}
	for i, want := range []string{"", "2 samples of cycles 3 to 7: under --oscope each is the highest of several"} {
		if got := recs[i].Warnings[0]; got != want && !(want == "" && strings.HasPrefix(got, "only ")) {
			t.Errorf("%s: %q, want %q", recs[i].Name, got, want)
		}
	}
}

func TestUnitAndFormat(t *testing.T) {
	for _, c := range []struct {
		r    Reader
		text string
		want string
	}{
		{Reader{UnitNS: 1000}, "5\n7\n", "stdin 2 5000 6000 7000 ?"},
		{Reader{UnitNS: 1}, "0;12.000000123;7\n", "stdin:thread0 1 7 7 7 0"},
		{Reader{UnitNS: 1}, "# Histogram\n005000 000003\n# Total: 000000003\n# Min Latencies: 05000\n# Avg Latencies: 05000\n# Max Latencies: 90000\n# Histogram Overflows: 00001\n", "stdin:thread0 4 5000 5000 90000 1"},
		{Reader{Format: "plain"}, "000001 000001\n", "error"},
		{Reader{Format: "none"}, "1\n", "error"},
		{Reader{UnitNS: 1e9}, "9223372036854775807\n", "error"},
		{Reader{Format: "rtla"}, "Index IRQ-000\n0 1\n", "stdin:IRQ-000 1 0 0 0 ?"},
	} {
		c.r.Stdin = strings.NewReader(c.text)
		got := "error"
		if recs, err := c.r.Open([]string{"-"}); err == nil {
			got = figures(recs[0])
		}
		if got != c.want {
			t.Errorf("%q as %q, unit %d: %s, want %s", c.text, c.r.Format, c.r.UnitNS, got, c.want)
		}
	}
}
