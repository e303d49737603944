// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

#include "go_asm.h"
#include "textflag.h"

// Registers of this file:
//	R12	the sender
//	R13	the goroutine's stack pointer
//	BX	nanoseconds in a second

// func sendLoop(s *sender)
TEXT ·sendLoop(SB), NOSPLIT, $0-8
	MOVQ s+0(FP), R12
	MOVQ SP, R13
	MOVQ sender_stack(R12), SP
	SUBQ $16, SP                    // a timespec
	MOVQ $1000000000, BX
next:
	MOVQ sender_deadline(R12), AX
	XORL DX, DX
	DIVQ BX
	MOVQ AX, (sender_until+0)(R12)
	MOVQ DX, (sender_until+8)(R12)
sleep:
	CMPL sender_stop(R12), $0
	JNE  out
	MOVL $230, AX                   // clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL)
	MOVL $1, DI
	MOVL $1, SI
	LEAQ sender_until(R12), DX
	XORL R10, R10
	SYSCALL
	TESTQ AX, AX
	JNE  sleep                      // EINTR: the deadline is absolute

	// Periods that have passed already are counted, not made up for.
	MOVL $1, DI
	MOVQ SP, SI
	CALL sender_now(R12)
	MOVQ 0(SP), AX
	IMULQ BX, AX
	ADDQ 8(SP), AX
	MOVQ sender_deadline(R12), CX
	MOVQ sender_period(R12), DX
late:
	ADDQ DX, CX
	CMPQ CX, AX
	JGT  ontime
	INCQ sender_overruns(R12)
	JMP  late
ontime:
	MOVQ CX, sender_deadline(R12)

	MOVL sender_clock(R12), DI
	MOVQ SP, SI
	CALL sender_now(R12)            // sent
	MOVQ sender_seq(R12), AX
	SHLQ $32, AX
	ORQ  8(SP), AX
	MOVQ AX, (sender_info+24)(R12)  // si_value
	MOVL $297, AX                   // rt_tgsigqueueinfo(pid, tid, signal, info)
	MOVQ sender_pid(R12), DI
	MOVQ sender_tid(R12), SI
	MOVL $const_Signal, DX
	LEAQ sender_info(R12), R10
	SYSCALL
	TESTQ AX, AX
	JNE  refused
	INCQ sender_sent(R12)
	JMP  counted
refused:
	NEGQ AX
	MOVQ AX, sender_lastErrno(R12)
	INCQ sender_refused(R12)
counted:
	MOVQ sender_seq(R12), AX
	INCQ AX
	MOVQ AX, sender_seq(R12)
	CMPQ AX, sender_count(R12)
	JNE  next                       // a count of 0 is met after 2^64 signals
out:
	MOVQ R13, SP
	RET
