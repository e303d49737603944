// SPDX-License-Identifier: GPL-2.0-only

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"siglat/analysis/recording"
	"siglat/plots"
)

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func cpu(n int) string {
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// cpus writes a list as the kernel does: "0-3,8".
func cpus(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, strconv.Itoa(list[i])+"-"+strconv.Itoa(list[j]))
		} else {
			parts = append(parts, strconv.Itoa(list[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return plots.Count(n)
}

// duration writes a span: "100 ms", "1.5 s", "5 h 33 min".
func duration(ns int64) string {
	const nbsp = "\u00a0"
	d := time.Duration(ns)
	switch {
	case ns <= 0:
		return ""
	case d >= time.Hour:
		return fmt.Sprintf("%d"+nbsp+"h"+nbsp+"%d"+nbsp+"min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= 10*time.Minute:
		return fmt.Sprintf("%d"+nbsp+"min"+nbsp+"%d"+nbsp+"s", d/time.Minute, d%time.Minute/time.Second)
	case d >= time.Second:
		return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + nbsp + "s"
	case d >= time.Millisecond:
		return strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64) + nbsp + "ms"
	case d >= time.Microsecond:
		return strconv.FormatFloat(float64(ns)/1e3, 'f', -1, 64) + nbsp + "µs"
	}
	return strconv.FormatInt(ns, 10) + nbsp + "ns"
}

func period(r *recording.Recording) string { return duration(r.Config.PeriodNS) }

// command writes an argument list so that a shell reads it back.
func command(args []string) string {
	var out []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`*?[]{}()<>|&;#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}
