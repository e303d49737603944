// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

#include "go_asm.h"
#include "textflag.h"

// Registers of this file:
//	R12	the control block
//	R13	the goroutine's stack pointer while a C stack is in use
//	BX	result of the sleep; in the handler, the siginfo_t
// A C function (the vDSO) keeps BX, BP and R12 to R15 (System V ABI).

// func waitLoop(c *control)
TEXT ·waitLoop(SB), NOSPLIT, $0-8
	MOVQ c+0(FP), R12
	MOVQ SP, R13
	MOVQ control_stack(R12), SP
	SUBQ $16, SP                    // a timespec
wait:
	CMPL control_stop(R12), $0
	JNE  out
	MOVQ control_nr(R12), AX
	MOVQ control_a1(R12), DI
	MOVQ control_a2(R12), SI
	MOVQ control_a3(R12), DX
	MOVQ control_a4(R12), R10
	SYSCALL
	CMPQ AX, control_want(R12)
	JNE  none                       // before the clock is read: one that polls looks again the sooner
	MOVL control_clock(R12), DI
	MOVQ SP, SI
	CALL control_now(R12)           // received
	MOVQ control_value(R12), AX
	MOVQ (AX), R8
	MOVQ control_aux(R12), AX
	MOVQ (AX), R9
	MOVQ 0(SP), R10
	MOVQ 8(SP), R11
	CALL push<>(SB)
	JMP  wait
none:
	PAUSE                           // one that polls leaves the lock of the signals to the sender
	JMP  wait
out:
	MOVQ R13, SP
	RET

// The wait of this loop has a deadline that moves on by itself, and counts the
// periods that it was too late for: what a row of system call and arguments in
// the control block does not tell. It shares the stamp's place, straight after
// the wait, and the ring.

// func timerLoop(t *timer)
TEXT ·timerLoop(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), R12
	MOVQ SP, R13
	MOVQ control_stack(R12), SP
	SUBQ $16, SP                    // a timespec
next:
	MOVQ timer_deadline(R12), AX
	MOVQ $1000000000, CX
	XORL DX, DX
	DIVQ CX
	MOVQ AX, (timer_until+0)(R12)
	MOVQ DX, (timer_until+8)(R12)
sleep:
	CMPL control_stop(R12), $0
	JNE  out
	MOVL $230, AX                   // clock_nanosleep(clock, TIMER_ABSTIME, until, NULL)
	MOVL control_clock(R12), DI
	MOVL $1, SI
	LEAQ timer_until(R12), DX
	XORL R10, R10
	SYSCALL
	MOVQ AX, BX
	MOVL control_clock(R12), DI
	MOVQ SP, SI
	CALL control_now(R12)           // woken
	TESTQ BX, BX
	JNE  sleep                      // EINTR: the deadline is absolute
	MOVQ timer_deadline(R12), R8
	MOVQ timer_seq(R12), R9
	INCQ timer_seq(R12)
	MOVQ 0(SP), R10
	MOVQ 8(SP), R11
	CALL push<>(SB)

	// Periods that have passed already are counted, not made up for.
	IMUL3Q $1000000000, R10, R10
	LEAQ (R10)(R11*1), AX
	XORL DX, DX
	SUBQ R8, AX                     // the time slept too long
	CMOVQLT DX, AX                  // a clock that was set back
	MOVQ timer_period(R12), CX
	DIVQ CX
	ADDQ AX, timer_overruns(R12)
	INCQ AX
	IMULQ CX, AX
	ADDQ AX, R8
	MOVQ R8, timer_deadline(R12)
	JMP  next
out:
	MOVQ R13, SP
	RET

// A PAUSE in each round would hold off the interrupt, which the processor takes
// only after it. One in 1024 rounds is for the other hyperthread, and for an
// emulator that looks at the timers of its other processors only then.

// func spinLoop(c *control)
TEXT ·spinLoop(SB), NOSPLIT, $0-8
	MOVQ c+0(FP), R12
rounds:
	MOVL $1024, CX
spin:
	CMPL control_stop(R12), $0
	JNE  out
	DECL CX
	JNE  spin
	PAUSE
	JMP  rounds
out:
	RET

// The signal handler, called by the kernel on the thread's signal stack with
// the signal in DI, siginfo_t in SI. It need not keep any register, since
// rt_sigreturn(2) restores them all, and it touches no Go state.
TEXT handler<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ SI, BX
	MOVQ ·active(SB), R12
	SUBQ $24, SP                    // a timespec, and the alignment that C wants
	MOVL control_clock(R12), DI
	MOVQ SP, SI
	CALL control_now(R12)           // received
	MOVQ 24(BX), R8                 // si_value
	XORL R9, R9
	MOVQ 0(SP), R10
	MOVQ 8(SP), R11
	CALL push<>(SB)
	ADDQ $24, SP
	RET                             // to the restorer

// A handler that does nothing, as lmbench's lat_sig has it.
TEXT emptyHandler<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	RET                             // to the restorer

// rt_sigreturn(2), where the kernel makes a handler return to.
TEXT restorer<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL $15, AX
	SYSCALL
	INT  $3

// push keeps R8 (value), R9 (aux), R10 (seconds) and R11 (nanoseconds) in the
// next slot. Threads may push at the same time: a signal that is sent to the
// process can be handled by any thread.
TEXT push<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ control_tail(R12), SI      // before head: the reader never passes what is known
	MOVQ control_head(R12), AX
again:
	MOVQ AX, DX
	SUBQ SI, DX
	CMPQ DX, $const_slots
	JAE  full
	LEAQ 1(AX), DX
	LOCK
	CMPXCHGQ DX, control_head(R12)
	JNE  again
	MOVQ AX, CX
	ANDQ $(const_slots-1), CX
	SHLQ $6, CX
	ADDQ control_ring(R12), CX
	MOVQ R8, slot_value(CX)
	MOVQ R9, slot_aux(CX)
	MOVQ R10, slot_sec(CX)
	MOVQ R11, slot_nsec(CX)
	MOVL $0x7b, AX                  // __CPUNODE_SEG, arch/x86/include/asm/segment.h
	LSLL AX, AX
	MOVQ AX, slot_cpu(CX)
	MOVQ DX, slot_commit(CX)        // stores of one CPU are seen in order
	CMPQ DX, control_target(R12)
	JNE  done
	MOVL $1, control_stop(R12)
done:
	RET
full:
	LOCK
	INCQ control_drops(R12)
	RET

// clock_gettime(2) with the C calling convention, for a kernel without vDSO.
TEXT clockSyscall<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $228, AX
	SYSCALL
	RET

// A Go function value would name the wrapper of another calling convention.

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	LEAQ handler<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func emptyHandlerPC() uintptr
TEXT ·emptyHandlerPC(SB), NOSPLIT, $0-8
	LEAQ emptyHandler<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func restorerPC() uintptr
TEXT ·restorerPC(SB), NOSPLIT, $0-8
	LEAQ restorer<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func clockSyscallPC() uintptr
TEXT ·clockSyscallPC(SB), NOSPLIT, $0-8
	LEAQ clockSyscall<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
