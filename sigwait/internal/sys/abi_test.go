// SPDX-License-Identifier: GPL-2.0-only

package sys

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// header returns siglat.h without its comments.
func header(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../kmod/siglat.h")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(b), "")
}

// cStructs returns the fields of each struct as "name type offset" lines,
// with the layout that the x86-64 and arm64 ABI give to naturally aligned
// members, and its size.
func cStructs(t *testing.T, text string) (map[string][]string, map[string]uintptr) {
	t.Helper()
	sizes := map[string]uintptr{"__u8": 1, "__u16": 2, "__s16": 2, "__u32": 4, "__s32": 4, "__u64": 8, "__s64": 8}
	field := regexp.MustCompile(`(__[us]\d+)\s+(\w+)(?:\[(\d+)\])?;`)
	fields, total := map[string][]string{}, map[string]uintptr{}
	for _, m := range regexp.MustCompile(`(?s)struct (siglat_\w+) \{(.*?)\};`).FindAllStringSubmatch(text, -1) {
		var offset uintptr
		for _, f := range field.FindAllStringSubmatch(m[2], -1) {
			size, n := sizes[f[1]], uintptr(1)
			if f[3] != "" {
				v, _ := strconv.Atoi(f[3])
				n = uintptr(v)
			}
			if offset%size != 0 {
				t.Errorf("%s.%s: not naturally aligned", m[1], f[2])
			}
			kind := strings.NewReplacer("__u", "uint", "__s", "int").Replace(f[1])
			if f[3] != "" {
				kind = fmt.Sprintf("[%d]%s", n, kind)
			}
			fields[m[1]] = append(fields[m[1]], fmt.Sprintf("%s %s %d", fold(f[2]), kind, offset))
			offset += size * n
		}
		total[m[1]] = offset
	}
	return fields, total
}

// fold brings C and Go names to one form.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

var mirrors = map[string]any{
	"siglat_info": Info{}, "siglat_config": Config{}, "siglat_stats": Stats{}, "siglat_event": Event{},
	"siglat_trace": Trace{}, "siglat_mark": Mark{}, "siglat_marks": Marks{},
}

func TestStructsMatchHeader(t *testing.T) {
	fields, total := cStructs(t, header(t))
	if len(fields) != len(mirrors) {
		t.Fatalf("siglat.h has %d structs, this package %d", len(fields), len(mirrors))
	}
	for name, v := range mirrors {
		typ := reflect.TypeOf(v)
		var got []string
		for f := range typ.Fields() {
			got = append(got, fmt.Sprintf("%s %s %d", fold(f.Name), f.Type, f.Offset))
		}
		if want := fields[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
		if typ.Size() != total[name] {
			t.Errorf("%s: size %d, want %d", name, typ.Size(), total[name])
		}
	}
}

// constants maps every constant of siglat.h that has a value of its own.
var constants = map[string]int64{
	"SIGLAT_ABI_VERSION": ABIVersion,
	"SIGLAT_MODE_USER":   ModeUser, "SIGLAT_MODE_KTHREAD": ModeKthread, "SIGLAT_MODE_IRQ": ModeIRQ,
	"SIGLAT_CONTEXT_AUTO": ContextAuto, "SIGLAT_CONTEXT_SOFTIRQ": ContextSoftIRQ,
	"SIGLAT_CONTEXT_HARDIRQ": ContextHardIRQ, "SIGLAT_CONTEXT_THREAD": ContextThread,
	"SIGLAT_FLAG_EVENTS": FlagEvents, "SIGLAT_CPU_CURRENT": CPUCurrent,
	"SIGLAT_FEATURE_PREEMPT_RT": FeaturePreemptRT, "SIGLAT_FEATURE_EVENTS": FeatureEvents,
	"SIGLAT_FEATURE_SEQUENCE": FeatureSequence, "SIGLAT_FEATURE_MODES": FeatureModes, "SIGLAT_FEATURE_TRACE": FeatureTrace,
	"SIGLAT_FEATURE_PRIORITY": FeaturePriority,
	"SIGLAT_STATE_RUNNING":    StateRunning, "SIGLAT_STATE_DONE": StateDone, "SIGLAT_STATE_GONE": StateGone,
	"SIGLAT_TRACE_CPUS":  TraceCPUs,
	"SIGLAT_MARK_SWITCH": MarkSwitch, "SIGLAT_MARK_WAKE": MarkWake, "SIGLAT_MARK_DELIVER": MarkDeliver,
	"SIGLAT_MARK_IRQ": MarkIRQ, "SIGLAT_MARK_SOFTIRQ": MarkSoftIRQ, "SIGLAT_MARK_VECTOR": MarkVector,
	"SIGLAT_IOC_MAGIC": IOCStart >> 8 & 0xff,
}

func TestConstantsMatchHeader(t *testing.T) {
	text := header(t)
	found := map[string]int64{}
	for _, m := range regexp.MustCompile(`(?m)^(?:#define\s+(SIGLAT_\w+)\s+|\s+(SIGLAT_\w+)\s*=\s*)\(?(-?(?:0x)?[0-9a-fA-F]+)U?[),]?`).FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseInt(m[3], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		found[m[1]+m[2]] = v
	}
	if !reflect.DeepEqual(found, constants) {
		t.Errorf("siglat.h: %v\nthis package: %v", found, constants)
	}
}

// requests maps every ioctl to its number here.
var requests = map[string]uintptr{
	"INFO": IOCInfo, "GET_CONFIG": IOCGetConfig, "SET_CONFIG": IOCSetConfig,
	"START": IOCStart, "STOP": IOCStop, "STATS": IOCStats,
	"TRACE": IOCTrace, "MARKS": IOCMarks,
}

func TestRequestsMatchHeader(t *testing.T) {
	text := header(t)
	_, total := cStructs(t, text)
	found := map[string]uintptr{}
	for _, m := range regexp.MustCompile(`SIGLAT_IOC_(\w+)\s+_(IO[RW]*)\(SIGLAT_IOC_MAGIC, (\d+)(?:, struct (\w+))?\)`).FindAllStringSubmatch(text, -1) {
		nr, _ := strconv.Atoi(m[3])
		// include/uapi/asm-generic/ioctl.h: direction, size, type, number
		dir := map[string]uintptr{"IO": 0, "IOW": 1, "IOR": 2, "IOWR": 3}[m[2]]
		found[m[1]] = dir<<30 | total[m[4]]<<16 | uintptr(constants["SIGLAT_IOC_MAGIC"])<<8 | uintptr(nr)
	}
	if !reflect.DeepEqual(found, requests) {
		t.Errorf("siglat.h: %x\nthis package: %x", found, requests)
	}
}
