// SPDX-License-Identifier: GPL-2.0-only

//go:build !portable

#include "go_asm.h"
#include "textflag.h"

// Registers and stack of this file are those of loop_arm64.s, but
//	R19	the sender
//	R22	nanoseconds in a second

// func sendLoop(s *sender)
TEXT ·sendLoop(SB), NOSPLIT, $0-8
	MOVD s+0(FP), R19
	MOVD RSP, R20
	MOVD sender_stack(R19), R0
	SUB  $48, R0
	MOVD R0, RSP
	MOVD ZR, 0(RSP)
	CALL ·keepg(SB)
	MOVD $1000000000, R22
next:
	MOVD sender_deadline(R19), R0
	UDIV R22, R0, R1
	MUL  R22, R1, R2
	SUB  R2, R0, R2
	MOVD R1, (sender_until+0)(R19)
	MOVD R2, (sender_until+8)(R19)
sleep:
	MOVWU sender_stop(R19), R0
	CBNZ R0, out
	MOVD $115, R8                   // clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL)
	MOVD $1, R0
	MOVD $1, R1
	ADD  $sender_until, R19, R2
	MOVD ZR, R3
	SVC
	CBNZ R0, sleep                  // EINTR: the deadline is absolute

	// Periods that have passed already are counted, not made up for.
	MOVD $1, R0
	ADD  $16, RSP, R1
	MOVD sender_now(R19), R2
	CALL (R2)
	MOVD 16(RSP), R0
	MOVD 24(RSP), R1
	MADD R22, R1, R0, R0
	MOVD sender_deadline(R19), R1
	MOVD sender_period(R19), R2
late:
	ADD  R2, R1
	CMP  R0, R1
	BGT  ontime
	MOVD sender_overruns(R19), R3
	ADD  $1, R3
	MOVD R3, sender_overruns(R19)
	B    late
ontime:
	MOVD R1, sender_deadline(R19)

	MOVWU sender_clock(R19), R0
	ADD  $16, RSP, R1
	MOVD sender_now(R19), R2
	CALL (R2)                       // sent
	MOVD sender_seq(R19), R4
	MOVD 24(RSP), R0
	ORR  R4<<32, R0, R0
	MOVD R0, (sender_info+24)(R19)  // si_value
	MOVD $240, R8                   // rt_tgsigqueueinfo(pid, tid, signal, info)
	MOVD sender_pid(R19), R0
	MOVD sender_tid(R19), R1
	MOVD $const_Signal, R2
	ADD  $sender_info, R19, R3
	SVC
	CBNZ R0, refused
	MOVD sender_sent(R19), R0
	ADD  $1, R0
	MOVD R0, sender_sent(R19)
	B    counted
refused:
	NEG  R0, R0
	MOVD R0, sender_lastErrno(R19)
	MOVD sender_refused(R19), R0
	ADD  $1, R0
	MOVD R0, sender_refused(R19)
counted:
	ADD  $1, R4
	MOVD R4, sender_seq(R19)
	MOVD sender_count(R19), R0
	CMP  R0, R4
	BNE  next                       // a count of 0 is met after 2^64 signals
out:
	MOVD ZR, (R21)
	MOVD R20, RSP
	RET
