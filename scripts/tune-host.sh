#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tune-host.sh [--cpu N] show|apply [ITEM...]
# tune-host.sh undo
#
# Prepares this host for measurements on CPU N (default 0) until the next boot,
# and undoes exactly what it changed. show prints what apply would do. Items,
# by default all:
#   governor    cpufreq governor performance on all CPUs
#   idle        no idle state that takes 10 us or more to leave
#   smt         no sibling threads
#   irqs        interrupts of devices to the other CPUs
#   throttling  real-time threads may have the whole second
#   autogroup   no group of tasks for each session
#   thp         huge pages only for programs that ask
# What was there before is kept in TUNE_STATE (/run/siglat-tune). undo leaves
# alone what somebody else has changed in the meantime, and says so. TUNE_ROOT
# is put before all paths of /proc and /sys.
set -euo pipefail
export LC_ALL=C
root=${TUNE_ROOT:-} state=${TUNE_STATE:-/run/siglat-tune}
all="governor idle smt irqs throttling autogroup thp"
cpu=0 failed=0

say() { echo "tune-host.sh: $*" >&2; }
usage() { say "$* (see the head of this script)"; exit 2; }

# value FILE: what is set; of a list such as "always [never]" the chosen word.
value() {
	local v
	v=$(<"$1")
	[[ $v != *\[*\]* ]] || { v=${v#*\[}; v=${v%%\]*}; }
	echo "$v"
}

# expand LIST: 0-2,5 as one number a line.
expand() {
	local part
	for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done
}

# others prints the CPUs that are online besides $cpu.
others() {
	expand "$(value "$root/sys/devices/system/cpu/online")" | grep -vx "$cpu" | paste -sd, || true
}

# settings ITEM prints FILE and the value that it is to have, a line each.
settings() {
	local f to
	case $1 in
	governor) for f in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do echo "$f performance"; done ;;
	idle)
		for f in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*; do
			[ ! -e "$f/latency" ] || [ "$(<"$f/latency")" -lt 10 ] || echo "$f/disable 1"
		done ;;
	smt) f=$root/sys/devices/system/cpu/smt/control; [ ! -e "$f" ] || [ "$(<"$f")" != on ] || echo "$f off" ;;
	irqs)
		to=$(others)
		[ -n "$to" ] || { say "irqs: there is no CPU besides $cpu"; return; }
		for f in "$root"/proc/irq/[0-9]*/smp_affinity_list; do
			! expand "$(value "$f")" | grep -qx "$cpu" || echo "$f $to"
		done ;;
	throttling) echo "$root/proc/sys/kernel/sched_rt_runtime_us -1" ;;
	autogroup) echo "$root/proc/sys/kernel/sched_autogroup_enabled 0" ;;
	thp) f=$root/sys/kernel/mm/transparent_hugepage/enabled; [ ! -e "$f" ] || [ "$(value "$f")" != always ] || echo "$f madvise" ;;
	*) usage "item $1: none of $all" ;;
	esac
}

# each ITEM...: shows or applies, as $do says, what is not as wanted.
each() {
	local item file wanted was
	for item; do
		while read -r file wanted; do
			[ -e "$file" ] || continue # this kernel or machine has none
			was=$(value "$file")
			if [ "$was" = "$wanted" ]; then continue; fi
			case $do in
			show) show "$item" "$file" "$was" "$wanted" ;;
			apply) apply "$item" "$file" "$was" "$wanted" ;;
			esac
		done < <(settings "$item")
	done
}

show() { printf '%-11s %s: %s -> %s\n' "$1" "${2#"$root"}" "$3" "$4"; }

apply() {
	local item=$1 file=$2 was=$3 wanted=$4
	# First of all: an interrupted script is undone, too.
	printf '%s\t%s\t\n' "$file" "$was" >>"$state" || { say "$state: cannot be written: nothing is changed (run as root)"; exit 1; }
	if (echo "$wanted" >"$file") 2>/dev/null; then
		show "$@"
	elif [ "$item" = irqs ]; then
		say "${file#"$root"}: the kernel does not move this interrupt"
	else
		say "${file#"$root"}: cannot be set to $wanted (run as root)"
		failed=1
	fi
	# The kernel may have another form of it, as 1-3 of 1,2,3.
	printf '%s\t%s\t%s\n' "$file" "$was" "$(value "$file")" >>"$state"
}

undo() {
	local file was set now line
	local -A last=()
	local order=() key
	[ -e "$state" ] || { say "nothing to undo: $state is not there"; return; }
	while IFS= read -r line; do
		IFS=$'\t' read -r file was set <<<"$line"
		key=$file$'\t'$was
		[ -n "${last[$key]+x}" ] || order=("$key" "${order[@]}")
		last[$key]=$set
	done <"$state"
	for key in "${order[@]}"; do
		file=${key%%$'\t'*} was=${key#*$'\t'} set=${last[$key]}
		[ -e "$file" ] || { say "${file#"$root"}: is gone"; continue; }
		now=$(value "$file")
		if [ "$now" = "$was" ]; then
			continue
		elif [ -n "$set" ] && [ "$now" != "$set" ]; then
			say "${file#"$root"}: left at $now: somebody has changed it from $set"
		elif (echo "$was" >"$file") 2>/dev/null; then
			show undo "$file" "$now" "$was"
		else
			say "${file#"$root"}: cannot be set back to $was (run as root)"
			failed=1
		fi
	done
	[ "$failed" -ne 0 ] || rm "$state"
}

if [ "${1:-}" = --cpu ]; then
	cpu=${2:-}
	[[ $cpu =~ ^[0-9]+$ ]] || usage "--cpu $cpu: want a number"
	shift 2
fi
do=${1:-}
[ $# -eq 0 ] || shift
case $do in
show | apply)
	[ $# -gt 0 ] || read -ra items <<<"$all"
	[ $# -eq 0 ] || items=("$@")
	for item in "${items[@]}"; do [[ " $all " == *" $item "* ]] || usage "item $item: none of $all"; done
	each "${items[@]}" ;;
undo)
	[ $# -eq 0 ] || usage "undo takes no items: it undoes all"
	undo ;;
*) usage "want show, apply or undo" ;;
esac
exit "$failed"
