// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

#include "go_asm.h"
#include "textflag.h"

// Registers of this file:
//	R19	the control block
//	R20	the goroutine's stack pointer while a C stack is in use
//	R21	where keepg noted g
//	R22	result of the wait; in the handler, the siginfo_t
//	R23	in the handler, where it returns to
//	R24	in timerLoop, nanoseconds in a second
// A C function (the vDSO) keeps R19 to R29 (AAPCS64), a system call all
// registers but the result.
//
// What lies at RSP while a C stack is in use:
//	0	zero: where the profiler looks for a caller
//	8	the CPU, from getcpu(2)
//	16	a timespec; before, a stack_t

// func waitLoop(c *control)
TEXT ·waitLoop(SB), NOSPLIT, $0-8
	MOVD c+0(FP), R19
	MOVD RSP, R20
	MOVD control_stack(R19), R0
	SUB  $48, R0
	MOVD R0, RSP
	MOVD ZR, 0(RSP)
	CALL ·keepg(SB)
wait:
	MOVWU control_stop(R19), R0
	CBNZ R0, out
	MOVD control_nr(R19), R8
	MOVD control_a1(R19), R0
	MOVD control_a2(R19), R1
	MOVD control_a3(R19), R2
	MOVD control_a4(R19), R3
	SVC
	MOVD control_want(R19), R1
	CMP  R1, R0
	BNE  none                       // before the clock is read: one that polls looks again the sooner
	MOVWU control_clock(R19), R0
	ADD  $16, RSP, R1
	MOVD control_now(R19), R2
	CALL (R2)                       // received
	MOVD control_value(R19), R0
	MOVD (R0), R10
	MOVD control_aux(R19), R0
	MOVD (R0), R11
	CALL push<>(SB)
	B    wait
none:
	YIELD                           // one that polls leaves the lock of the signals to the sender
	B    wait
out:
	MOVD ZR, (R21)
	MOVD R20, RSP
	RET

// Why this is a loop of its own stands in loop_amd64.s.

// func timerLoop(t *timer)
TEXT ·timerLoop(SB), NOSPLIT, $0-8
	MOVD t+0(FP), R19
	MOVD RSP, R20
	MOVD control_stack(R19), R0
	SUB  $48, R0
	MOVD R0, RSP
	MOVD ZR, 0(RSP)
	CALL ·keepg(SB)
	MOVD $1000000000, R24
next:
	MOVD timer_deadline(R19), R0
	UDIV R24, R0, R1
	MUL  R24, R1, R2
	SUB  R2, R0, R2
	MOVD R1, (timer_until+0)(R19)
	MOVD R2, (timer_until+8)(R19)
sleep:
	MOVWU control_stop(R19), R0
	CBNZ R0, out
	MOVD $115, R8                   // clock_nanosleep(clock, TIMER_ABSTIME, until, NULL)
	MOVWU control_clock(R19), R0
	MOVD $1, R1
	ADD  $timer_until, R19, R2
	MOVD ZR, R3
	SVC
	MOVD R0, R22
	MOVWU control_clock(R19), R0
	ADD  $16, RSP, R1
	MOVD control_now(R19), R2
	CALL (R2)                       // woken
	CBNZ R22, sleep                 // EINTR: the deadline is absolute
	MOVD timer_deadline(R19), R10
	MOVD timer_seq(R19), R11
	ADD  $1, R11, R0
	MOVD R0, timer_seq(R19)
	CALL push<>(SB)

	// Periods that have passed already are counted, not made up for.
	MOVD 16(RSP), R0
	MOVD 24(RSP), R1
	MADD R24, R1, R0, R0
	MOVD timer_period(R19), R2
late:
	ADD  R2, R10
	CMP  R0, R10
	BGT  ontime
	MOVD timer_overruns(R19), R3
	ADD  $1, R3
	MOVD R3, timer_overruns(R19)
	B    late
ontime:
	MOVD R10, timer_deadline(R19)
	B    next
out:
	MOVD ZR, (R21)
	MOVD R20, RSP
	RET

// Where the runtime's signal handlers look for g when they have interrupted
// the vDSO, which may use g's register for itself: at the bottom of the
// thread's signal stack (sigFetchG in runtime/signal_unix.go).

// keepg notes g there and the place in R21.
TEXT ·keepg(SB), NOSPLIT|NOFRAME, $0
	MOVD $132, R8                   // sigaltstack(NULL, old)
	MOVD ZR, R0
	ADD  $16, RSP, R1
	MOVD ZR, 16(RSP)
	SVC
	MOVD 16(RSP), R21               // ss_sp
	CBNZ R21, found
	ADD  $16, RSP, R21              // no signal stack, no handlers
found:
	MOVD g, (R21)
	RET

// As on amd64, one round in 1024 lets others go first.

// func spinLoop(c *control)
TEXT ·spinLoop(SB), NOSPLIT, $0-8
	MOVD c+0(FP), R19
rounds:
	MOVD $1024, R1
spin:
	MOVWU control_stop(R19), R0
	CBNZ R0, out
	SUBS $1, R1, R1
	BNE  spin
	YIELD
	B    rounds
out:
	RET

// The signal handler, called by the kernel on the thread's signal stack with
// the signal in R0, siginfo_t in R1. It need not keep any register but R23,
// since rt_sigreturn(2) restores them all, and it touches no Go state.
TEXT handler<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVD R1, R22
	MOVD R30, R23
	MOVD ·active(SB), R19
	SUB  $48, RSP
	MOVWU control_clock(R19), R0
	ADD  $16, RSP, R1
	MOVD control_now(R19), R2
	CALL (R2)                       // received
	MOVD 24(R22), R10               // si_value
	MOVD ZR, R11
	CALL push<>(SB)
	ADD  $48, RSP
	JMP  (R23)                      // to the vDSO's rt_sigreturn(2)

// A handler that does nothing, as lmbench's lat_sig has it.
TEXT emptyHandler<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	RET                             // to the vDSO's rt_sigreturn(2)

// push keeps R10 (value), R11 (aux) and the timespec at 16(RSP) in the next
// slot, with the CPU that getcpu(2) tells: the vDSO of arm64 does not know it,
// and after the stamp the call costs no latency. Threads may push at the same
// time: a signal that is sent to the process can be handled by any thread.
TEXT push<>(SB), NOSPLIT|NOFRAME, $0
	MOVD $168, R8                   // getcpu(cpu, NULL)
	ADD  $8, RSP, R0
	MOVD ZR, R1
	SVC
	MOVWU 8(RSP), R12
	CBZ  R0, reserve
	MOVD $const_noCPU, R12
reserve:
	ADD  $control_head, R19, R3
	ADD  $control_tail, R19, R4
	// In this order, since tail never passes head.
	LDAR (R4), R5
	LDAR (R3), R0
	SUB  R5, R0, R5
	CMP  $const_slots, R5
	BHS  full
	ADD  $1, R0, R1
	LDAXR (R3), R2
	CMP  R0, R2
	BNE  reserve
	STLXR R1, (R3), R2
	CBNZ R2, reserve
	AND  $(const_slots-1), R0, R2
	MOVD control_ring(R19), R4
	ADD  R2<<6, R4, R2
	MOVD R10, slot_value(R2)
	MOVD R11, slot_aux(R2)
	MOVD 16(RSP), R4
	MOVD R4, slot_sec(R2)
	MOVD 24(RSP), R4
	MOVD R4, slot_nsec(R2)
	MOVD R12, slot_cpu(R2)
	ADD  $slot_commit, R2, R2
	STLR R1, (R2)
	MOVD control_target(R19), R0
	CMP  R0, R1
	BNE  done
	MOVD $1, R0
	MOVW R0, control_stop(R19)
done:
	RET
full:
	ADD  $control_drops, R19, R3
drop:
	LDAXR (R3), R0
	ADD  $1, R0
	STLXR R0, (R3), R2
	CBNZ R2, drop
	RET

// clock_gettime(2) with the C calling convention, for a kernel without vDSO.
TEXT clockSyscall<>(SB), NOSPLIT|NOFRAME, $0
	MOVD $113, R8
	SVC
	RET

// A Go function value would name the wrapper of another calling convention.

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	MOVD $handler<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func emptyHandlerPC() uintptr
TEXT ·emptyHandlerPC(SB), NOSPLIT, $0-8
	MOVD $emptyHandler<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func clockSyscallPC() uintptr
TEXT ·clockSyscallPC(SB), NOSPLIT, $0-8
	MOVD $clockSyscall<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
