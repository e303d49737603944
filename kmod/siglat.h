/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * siglat: user interface of the signal-delivery latency module
 *
 * open(2) with O_RDONLY starts the default stream at once: SIGRTMAX to the
 * opening thread each period_us (module parameter, 100 ms), si_code SI_QUEUE,
 * si_int the nanosecond field of CLOCK_REALTIME, until close(2).
 * open(2) with O_RDWR starts nothing: configure, then SIGLAT_IOC_START.
 *
 * The signal's sival_ptr holds, on 64-bit kernels, the sequence number
 * (modulo 2^32) in its upper half and si_int in its lower half.
 *
 * Whoever holds the file descriptor may use every ioctl; the signals go to the
 * thread that opened, and to nobody once that thread has exited, executed
 * another program or changed its credentials. A signal that was pending before
 * stays pending across execve(2), as any signal does.
 *
 * read(2) returns whole struct siglat_event, at least one; it waits for the
 * first one unless O_NONBLOCK is set (EAGAIN). 0 is the end: nothing is
 * running and all events are read. EINVAL: the buffer is too small for one
 * event, or SIGLAT_FLAG_EVENTS is not set. The newest 4096 events are kept.
 * poll(2): POLLIN when read(2) does not wait, POLLHUP while nothing is
 * running, POLLERR without SIGLAT_FLAG_EVENTS.
 */
#ifndef _UAPI_SIGLAT_H
#define _UAPI_SIGLAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Grows with every change of this file that a program can notice. */
#define SIGLAT_ABI_VERSION	3

/**
 * enum siglat_mode - whom the timer serves, as the modes of Xenomai's latency
 * @SIGLAT_MODE_USER: a signal to the thread that opened the device
 * @SIGLAT_MODE_KTHREAD: a SCHED_FIFO kernel thread that stamps its wake-up
 * @SIGLAT_MODE_IRQ: nobody; the timer callback only stamps itself
 */
enum siglat_mode {
	SIGLAT_MODE_USER	= 0,
	SIGLAT_MODE_KTHREAD	= 1,
	SIGLAT_MODE_IRQ		= 2,
};

/**
 * enum siglat_context - where the timer callback stamps and sends
 * @SIGLAT_CONTEXT_AUTO: SOFTIRQ on stock kernels, THREAD on PREEMPT_RT; in
 *	the modes KTHREAD and IRQ, which do not send, HARDIRQ on both
 * @SIGLAT_CONTEXT_SOFTIRQ: soft hrtimer; on PREEMPT_RT this is the thread
 *	ktimers/N at SCHED_FIFO 1, which a spinning receiver of a higher
 *	priority on the same CPU starves
 * @SIGLAT_CONTEXT_HARDIRQ: hard hrtimer; in mode USER EOPNOTSUPP on
 *	PREEMPT_RT, where the lock that sending takes may sleep
 * @SIGLAT_CONTEXT_THREAD: a hard hrtimer wakes a SCHED_FIFO kernel thread
 *	bound to the timer's CPU, which stamps and sends; mode USER only, else
 *	EINVAL
 */
enum siglat_context {
	SIGLAT_CONTEXT_AUTO	= 0,
	SIGLAT_CONTEXT_SOFTIRQ	= 1,
	SIGLAT_CONTEXT_HARDIRQ	= 2,
	SIGLAT_CONTEXT_THREAD	= 3,
};

/* siglat_config.flags: keep the event stream that read(2) and poll(2) serve */
#define SIGLAT_FLAG_EVENTS	0x1U
#define SIGLAT_FLAGS_ALL	(SIGLAT_FLAG_EVENTS)

/* siglat_config.cpu: the CPU on which SIGLAT_IOC_START is called */
#define SIGLAT_CPU_CURRENT	(-1)

/* siglat_info.features */
#define SIGLAT_FEATURE_PREEMPT_RT	0x1U
#define SIGLAT_FEATURE_EVENTS		0x2U
#define SIGLAT_FEATURE_SEQUENCE		0x4U
#define SIGLAT_FEATURE_MODES		0x8U
#define SIGLAT_FEATURE_TRACE		0x10U
#define SIGLAT_FEATURE_PRIORITY		0x20U	/* siglat_config.priority may be any */

/**
 * struct siglat_info - what this module is and can do
 * @abi_version: SIGLAT_ABI_VERSION of the module
 * @features: SIGLAT_FEATURE_* bits
 * @min_period_ns: smallest period SIGLAT_IOC_SET_CONFIG takes, nanoseconds
 * @max_period_ns: largest period SIGLAT_IOC_SET_CONFIG takes, nanoseconds
 * @signal: number of the signal that is sent (SIGRTMAX)
 * @padding: zero
 */
struct siglat_info {
	__u32 abi_version;
	__u32 features;
	__u64 min_period_ns;
	__u64 max_period_ns;
	__u32 signal;
	__u32 padding[9];
};

/**
 * struct siglat_config - what SIGLAT_IOC_START shall do
 * @flags: SIGLAT_FLAG_* bits, others are EINVAL
 * @mode: one of enum siglat_mode
 * @clock: CLOCK_REALTIME or CLOCK_MONOTONIC: the clock of the timestamp in
 *	si_int; the timer itself always runs on CLOCK_MONOTONIC
 * @context: one of enum siglat_context
 * @period_ns: time between two expiries, nanoseconds of CLOCK_MONOTONIC
 * @count: expiries after which the timer stops by itself; 0 for no end;
 *	EINVAL if @count times @period_ns is not below 2^63
 * @cpu: CPU of the timer, or SIGLAT_CPU_CURRENT
 * @priority: SCHED_FIFO priority 1 to 99 of the module's thread (context
 *	THREAD, mode KTHREAD); 0 for the module parameter thread_priority;
 *	without SIGLAT_FEATURE_PRIORITY others than 0 and 50 are EOPNOTSUPP
 * @padding: zero, anything else is EINVAL
 */
struct siglat_config {
	__u32 flags;
	__u32 mode;
	__u32 clock;
	__u32 context;
	__u64 period_ns;
	__u64 count;
	__s32 cpu;
	__u32 priority;
	__u32 padding[6];
};

/*
 * siglat_stats.state
 * RUNNING: the timer is armed
 * DONE: count is reached
 * GONE: the receiver exited, executed another program or changed its
 *	credentials (another id, or more capabilities)
 */
#define SIGLAT_STATE_RUNNING	0x1U
#define SIGLAT_STATE_DONE	0x2U
#define SIGLAT_STATE_GONE	0x4U

/**
 * struct siglat_stats - what happened since the last SIGLAT_IOC_START
 *
 * Exact after SIGLAT_IOC_STOP, and once @state has DONE or GONE. While the
 * timer runs, an expiry is counted just before its signal is sent.
 *
 * @expired: timer expiries served; in mode USER sent + refused
 * @sent: signals the kernel accepted for the receiver
 * @refused: signals the kernel did not accept (queue full, for example)
 * @overruns: periods without an expiry of their own, since the timer was late
 *	by a whole period or more
 * @dropped: events overwritten in the event stream before they were read, or
 *	lost in a read(2) that returned EFAULT
 * @last_errno: positive errno of the last refusal, 0 if there was none
 * @state: SIGLAT_STATE_* bits
 * @cpu: CPU that served the last counted expiry, -1 before the first
 * @context: effective context, one of enum siglat_context, never AUTO
 * @padding: zero
 */
struct siglat_stats {
	__u64 expired;
	__u64 sent;
	__u64 refused;
	__u64 overruns;
	__u64 dropped;
	__s32 last_errno;
	__u32 state;
	__s32 cpu;
	__u32 context;
	__u64 padding;
};

/**
 * struct siglat_event - one expiry, as read(2) returns it
 * @seq: sequence number of the expiry since SIGLAT_IOC_START, from 0; its
 *	lower 32 bits travel in the signal
 * @expires_ns: when the timer was due, nanoseconds of CLOCK_MONOTONIC
 * @fired_ns: when its callback began, nanoseconds of CLOCK_MONOTONIC
 * @sent_ns: just before the signal was sent (mode USER), the kernel thread
 *	was woken (KTHREAD); equal to @fired_ns in mode IRQ; nanoseconds of
 *	CLOCK_MONOTONIC
 * @done_ns: after sending returned (USER), or when the kernel thread ran
 *	(KTHREAD); equal to @fired_ns in mode IRQ; nanoseconds of
 *	CLOCK_MONOTONIC
 * @cpu: CPU that served the expiry
 * @kind: one of enum siglat_mode
 * @error: positive errno of a refused signal, 0 if it was accepted
 * @overruns: periods skipped just before this expiry
 * @padding: zero
 */
struct siglat_event {
	__u64 seq;
	__s64 expires_ns;
	__s64 fired_ns;
	__s64 sent_ns;
	__s64 done_ns;
	__u32 cpu;
	__u32 kind;
	__s32 error;
	__u32 overruns;
	__u64 padding;
};

/* siglat_trace.cpus has a bit for each CPU below this number */
#define SIGLAT_TRACE_CPUS	1024

/**
 * struct siglat_trace - what SIGLAT_IOC_TRACE shall mark
 * @flags: zero, anything else is EINVAL
 * @marks: marks kept for each CPU: a power of two up to 65536, of 64 bytes each
 * @cpus: CPU n is marked if bit n % 64 of word n / 64 is set; at least one
 * @tgid: set by the module (zero before, else EINVAL): the calling process, as
 *	numbered in the initial PID namespace; its wake-ups and signals are marked
 * @padding: zero, anything else is EINVAL
 */
struct siglat_trace {
	__u32 flags;
	__u32 marks;
	__u64 cpus[16];
	__s32 tgid;
	__u32 padding[5];
};

/**
 * enum siglat_mark_kind - what a mark says; "current" is the task that the
 *	mark describes
 * @SIGLAT_MARK_SWITCH: current leaves the CPU to task @number
 * @SIGLAT_MARK_WAKE: task @number of the tracing process is about to be woken,
 *	on any CPU, by code that runs on this CPU
 * @SIGLAT_MARK_DELIVER: signal @number is delivered to current, which is of
 *	the tracing process and in most cases has a handler
 * @SIGLAT_MARK_IRQ: the handler of interrupt @number has interrupted current
 * @SIGLAT_MARK_SOFTIRQ: soft interrupt @number has run, in the order of
 *	linux/interrupt.h; in current where that is ksoftirqd or ktimers
 * @SIGLAT_MARK_VECTOR: vector @number of x86 (asm/irq_vectors.h) has
 *	interrupted current: local timer, reschedule, call function, irq work
 */
enum siglat_mark_kind {
	SIGLAT_MARK_SWITCH	= 1,
	SIGLAT_MARK_WAKE	= 2,
	SIGLAT_MARK_DELIVER	= 3,
	SIGLAT_MARK_IRQ		= 4,
	SIGLAT_MARK_SOFTIRQ	= 5,
	SIGLAT_MARK_VECTOR	= 6,
};

/**
 * struct siglat_mark - something that happened on a CPU
 * @time_ns: when, or when the interrupt ended; nanoseconds of CLOCK_MONOTONIC
 * @begin_ns: when the interrupt began, else @time_ns; nanoseconds of
 *	CLOCK_MONOTONIC
 * @seq: how many marks this CPU has had with this one, modulo 2^32
 * @kind: one of enum siglat_mark_kind
 * @number: see enum siglat_mark_kind
 * @pid: thread number of the current task in the initial PID namespace
 * @policy: its policy, as sched_setattr(2) numbers them
 * @prio: its priority in force as the kernel counts: -1 deadline, 0 to 98 for
 *	real-time priority 99 to 1, 100 to 139 for nice -20 to 19
 * @comm: its name, filled up with zeros
 * @padding: zero
 */
struct siglat_mark {
	__s64 time_ns;
	__s64 begin_ns;
	__u32 seq;
	__u32 kind;
	__u32 number;
	__s32 pid;
	__u32 policy;
	__s32 prio;
	__u8 comm[16];
	__u64 padding;
};

/**
 * struct siglat_marks - which marks SIGLAT_IOC_MARKS shall copy
 * @buffer: address of the first struct siglat_mark to be written
 * @cpu: the CPU whose marks are asked for
 * @next: number of the first mark that is asked for, from 0, modulo 2^32; on
 *	return the number of the one after the last that was looked at
 * @count: marks that fit into @buffer; on return those that are there, oldest
 *	first
 * @lost: set by the module (zero before, else EINVAL): marks from @next on that
 *	were overwritten before they could be copied
 * @reserved: zero, anything else is EINVAL
 * @padding: zero, anything else is EINVAL
 */
struct siglat_marks {
	__u64 buffer;
	__u32 cpu;
	__u32 next;
	__u32 count;
	__u32 lost;
	__u64 reserved;
	__u64 padding;
};

#define SIGLAT_IOC_MAGIC	0xB8

/*
 * All: EFAULT for a bad pointer, ENOTTY for any other number.
 * SET_CONFIG: EINVAL as above, ENXIO if the CPU is not online, EOPNOTSUPP, in
 *	this order; EBUSY while running; ENOMEM. Unread events are lost.
 * START: EBUSY while running; ESRCH if the receiver is gone (mode USER);
 *	ENXIO if the CPU went offline; ENOMEM. Statistics, sequence and events
 *	start anew.
 * STOP: no error if nothing is running. On return the timer does not fire and
 *	no signal is on its way; unread events and statistics remain.
 * TRACE: begins to mark what the kernel does on some CPUs, until close(2);
 *	independent of START and STOP. EINVAL as above; ENXIO if there is no such
 *	CPU; EPERM without CAP_PERFMON; EOPNOTSUPP without SIGLAT_FEATURE_TRACE;
 *	EBUSY if it is in use by this open file; ENOMEM.
 * MARKS: EINVAL as above or without TRACE; ENXIO for a CPU that is not marked.
 */
#define SIGLAT_IOC_INFO		_IOR(SIGLAT_IOC_MAGIC, 0, struct siglat_info)
#define SIGLAT_IOC_GET_CONFIG	_IOR(SIGLAT_IOC_MAGIC, 1, struct siglat_config)
#define SIGLAT_IOC_SET_CONFIG	_IOW(SIGLAT_IOC_MAGIC, 2, struct siglat_config)
#define SIGLAT_IOC_START	_IO(SIGLAT_IOC_MAGIC, 3)
#define SIGLAT_IOC_STOP		_IO(SIGLAT_IOC_MAGIC, 4)
#define SIGLAT_IOC_STATS	_IOR(SIGLAT_IOC_MAGIC, 5, struct siglat_stats)
#define SIGLAT_IOC_TRACE	_IOWR(SIGLAT_IOC_MAGIC, 6, struct siglat_trace)
#define SIGLAT_IOC_MARKS	_IOWR(SIGLAT_IOC_MAGIC, 7, struct siglat_marks)

#endif /* _UAPI_SIGLAT_H */
