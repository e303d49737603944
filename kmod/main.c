// SPDX-License-Identifier: GPL-2.0-only
/*
 * siglat: measures how long a signal takes from the kernel to user space
 *
 * Each open file is a stream of its own: a pinned hrtimer and, at each
 * expiry, a SIGRTMAX to the thread that opened the file, a wake-up of a
 * kernel thread, or nothing but the timer's own time stamps. siglat.h
 * describes the interface.
 *
 *  expires      fired          sent                         done
 *     |--timer----|---module-----|---send_sig_info() or wake--|
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>

#include "figures.h"
#include "siglat.h"
#include "trace.h"

/*
 * Differences between kernels, 5.10 to 7.3; Kbuild looks for what is there.
 * hrtimer_setup() replaces hrtimer_init() from 6.13 on.
 */
#ifndef SIGLAT_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* in_irq() has this name from 5.11 on. */
#ifndef in_hardirq
#define in_hardirq() in_irq()
#endif

/* Before 5.14 modules can make a thread SCHED_FIFO, but at one priority only. */
#ifdef SIGLAT_ONE_PRIORITY
#define SIGLAT_FEATURE_PRIORITY_HERE	0
#define SIGLAT_DEFAULT_PRIORITY		(MAX_RT_PRIO / 2)

static inline int siglat_set_fifo(struct task_struct *thread, u32 priority)
{
	sched_set_fifo(thread);
	return 0;
}

#else
#define SIGLAT_FEATURE_PRIORITY_HERE	SIGLAT_FEATURE_PRIORITY
#define SIGLAT_DEFAULT_PRIORITY		80

static inline int siglat_set_fifo(struct task_struct *thread, u32 priority)
{
	const struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = priority,
	};

	return sched_setattr_nocheck(thread, &attr);
}
#endif

#define SIGLAT_SIGNAL		SIGRTMAX
#define SIGLAT_MAX_PERIOD_NS	(3600ULL * NSEC_PER_SEC)
#define SIGLAT_RING_EVENTS	4096	/* a power of two */
#define SIGLAT_READ_BATCH	8

/* The value of a signal has room for a sequence number beside si_int. */
#if BITS_PER_LONG == 64 && defined(__LITTLE_ENDIAN)
#define SIGLAT_FEATURE_VALUE	SIGLAT_FEATURE_SEQUENCE
#else
#define SIGLAT_FEATURE_VALUE	0
#endif

static_assert(sizeof(struct siglat_info) == 64);
static_assert(sizeof(struct siglat_config) == 64);
static_assert(sizeof(struct siglat_stats) == 64);
static_assert(sizeof(struct siglat_event) == 64);

static unsigned int period_us = 100000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "period of a stream that is not configured, microseconds");

static int cpu = -1;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "CPU of the timer of a stream that is not configured, -1: the one that opens");

static unsigned int min_period_us = 50;
module_param(min_period_us, uint, 0444);
MODULE_PARM_DESC(min_period_us, "smallest period of any stream, microseconds");

static unsigned int thread_priority = SIGLAT_DEFAULT_PRIORITY;
module_param(thread_priority, uint, 0444);
MODULE_PARM_DESC(thread_priority, "SCHED_FIFO priority of the module's threads");

/**
 * struct siglat - one open file
 * @mutex: serializes configuring, starting and stopping; taken before @lock.
 *	Process context only.
 * @config: written under @mutex while nothing runs, read by the running timer
 *	and thread without a lock
 * @period: @config.period_ns as the timer wants it; rules of @config
 * @timer: armed by START, on the CPU asked for; cancelled under @mutex
 * @thread: serves expiries in context THREAD and mode KTHREAD, else NULL;
 *	created and stopped under @mutex while the timer is not armed
 * @wake: wakes readers from where a wait queue's lock must not be taken
 * @wake_used: @wake was queued since the last START; set by the timer, read
 *	after it is cancelled
 * @handed: @shot belongs to @thread; set by the timer with release semantics,
 *	cleared by the thread likewise
 * @shot: the expiry being served; belongs to the timer's callback, or to the
 *	thread while @handed
 * @second_ns: last full second before a stamp, on its clock; rules of @shot
 * @seq: sequence number of the next expiry; timer's callback only
 * @missed: periods skipped since the last served expiry; timer's callback only
 * @pid: the thread that opened; its reference keeps the number from denoting
 *	another thread. Constant.
 * @cred: real credentials of that thread at open. Constant.
 * @exec_id: counts the programs that thread executed, at open. Constant.
 * @tracer: marks of this file, NULL until asked for; under @mutex
 * @wait: readers and pollers
 * @lock: protects what follows; taken with interrupts off. Raw, since a hard
 *	timer takes it on PREEMPT_RT.
 * @stats: as STATS returns it
 * @ring: SIGLAT_RING_EVENTS events, NULL without SIGLAT_FLAG_EVENTS
 * @head: events ever published
 * @tail: events ever read or overwritten; head - tail are in the ring
 */
struct siglat {
	struct mutex mutex;	/* configuring, starting and stopping */
	struct siglat_config config;
	ktime_t period;
	struct hrtimer timer;
	struct task_struct *thread;
	struct irq_work wake;
	bool wake_used;
	bool handed;
	struct siglat_event shot;
	u64 second_ns;
	u64 seq;
	u64 missed;
	struct pid *pid;
	const struct cred *cred;
	u64 exec_id;
	struct siglat_tracer *tracer;
	wait_queue_head_t wait;

	raw_spinlock_t lock;
	struct siglat_stats stats;
	struct siglat_event *ring;
	unsigned int head;
	unsigned int tail;
};

static bool siglat_running(const struct siglat *s)
{
	return READ_ONCE(s->stats.state) & SIGLAT_STATE_RUNNING;
}

/* Where expiries of this configuration are served: never AUTO. */
static u32 siglat_effective_context(const struct siglat_config *c)
{
	if (c->context != SIGLAT_CONTEXT_AUTO)
		return c->context;
	if (c->mode != SIGLAT_MODE_USER)
		return SIGLAT_CONTEXT_HARDIRQ;
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? SIGLAT_CONTEXT_THREAD :
					       SIGLAT_CONTEXT_SOFTIRQ;
}

/*
 * Is @task still what it was when it opened the device? The exec id differs
 * after every execve(), also if another thread executed and took over the
 * process id of the one that opened. Credentials are compared by value, since
 * a set*id() call to the same id makes a new structure; dropping capabilities
 * does no harm, gaining them does. Any context, RCU read lock held.
 */
static bool siglat_is_receiver(const struct siglat *s, struct task_struct *task)
{
	const struct cred *then = s->cred;
	const struct cred *now;

	if (READ_ONCE(task->flags) & PF_EXITING ||
	    READ_ONCE(task->self_exec_id) != s->exec_id)
		return false;
	now = __task_cred(task);
	if (now == then)
		return true;
	return uid_eq(now->uid, then->uid) && uid_eq(now->euid, then->euid) &&
	       uid_eq(now->suid, then->suid) && gid_eq(now->gid, then->gid) &&
	       gid_eq(now->egid, then->egid) && gid_eq(now->sgid, then->sgid) &&
	       now->user_ns == then->user_ns &&
	       cap_issubset(now->cap_permitted, then->cap_permitted);
}

static bool siglat_receiver_lives(const struct siglat *s)
{
	struct task_struct *task;
	bool lives;

	rcu_read_lock();
	task = pid_task(s->pid, PIDTYPE_PID);
	lives = task && siglat_is_receiver(s, task);
	rcu_read_unlock();
	return lives;
}

/*
 * The nanosecond field of a reading of the stream's clock. It lies between
 * the stamp and the signal, so it divides only when a second has passed (or
 * the clock was set).
 */
static u32 siglat_nsec(struct siglat *s, u64 now)
{
	u64 nsec = now - s->second_ns;
	u32 rest;

	if (likely(nsec < NSEC_PER_SEC))
		return nsec;
	div_u64_rem(now, NSEC_PER_SEC, &rest);
	s->second_ns = now - rest;
	return rest;
}

/*
 * Stamp and send. All that can be done before the stamp is done before it.
 * Softirq, hard interrupt (not on PREEMPT_RT) or thread, RCU read lock held.
 */
static int siglat_stamp_and_send(struct siglat *s, struct task_struct *task)
{
	bool events = s->config.flags & SIGLAT_FLAG_EVENTS;
	struct siglat_event *shot = &s->shot;
	struct kernel_siginfo info;
	u64 now;
	int error;

	clear_siginfo(&info);
	info.si_signo = SIGLAT_SIGNAL;
	info.si_code = SI_QUEUE;
	if (SIGLAT_FEATURE_VALUE)
		info.si_ptr = (void __user *)(unsigned long)(shot->seq << 32);

	if (s->config.clock == CLOCK_MONOTONIC) {
		now = ktime_get_ns();
	} else {
		if (events)
			shot->sent_ns = ktime_get_ns();
		now = ktime_get_real_ns();
	}
	info.si_int = siglat_nsec(s, now);
	error = send_sig_info(SIGLAT_SIGNAL, &info, task);

	if (events) {
		shot->done_ns = ktime_get_ns();
		if (s->config.clock == CLOCK_MONOTONIC)
			shot->sent_ns = now;
	}
	return error;
}

/* -ESRCH if there is nobody any more to send to. Context as above. */
static int siglat_signal(struct siglat *s)
{
	struct task_struct *task;
	int error = -ESRCH;

	rcu_read_lock();
	task = pid_task(s->pid, PIDTYPE_PID);
	if (task && siglat_is_receiver(s, task))
		error = siglat_stamp_and_send(s, task);
	rcu_read_unlock();
	return error;
}

/* Any context. */
static void siglat_wake_readers(struct siglat *s)
{
	if (!wq_has_sleeper(&s->wait))
		return;
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq()) {
		s->wake_used = true;
		irq_work_queue(&s->wake);
	} else {
		wake_up_interruptible_poll(&s->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
	}
}

static void siglat_wake_work(struct irq_work *work)
{
	struct siglat *s = container_of(work, struct siglat, wake);

	wake_up_interruptible_poll(&s->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
}

static void siglat_publish(struct siglat *s)
{
	lockdep_assert_held(&s->lock);
	if (s->head - s->tail == SIGLAT_RING_EVENTS) {
		s->tail++;
		s->stats.dropped++;
	}
	s->ring[s->head++ % SIGLAT_RING_EVENTS] = s->shot;
}

/*
 * Counts the expiry, before it is served: what comes after the signal keeps a
 * receiver on this CPU waiting. True if it is the last one. Any context.
 */
static bool siglat_count(struct siglat *s)
{
	const struct siglat_event *shot = &s->shot;
	struct siglat_stats *stats = &s->stats;
	unsigned long flags;
	bool last;

	raw_spin_lock_irqsave(&s->lock, flags);
	/* Equal in the modes USER and IRQ so far: fired and done. */
	siglat_figures_add(shot->kind, shot->done_ns - shot->expires_ns);
	last = ++stats->expired == s->config.count;
	stats->cpu = s->shot.cpu;
	if (s->config.mode == SIGLAT_MODE_USER)
		stats->sent++;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return last;
}

/* The signal was not sent. */
static void siglat_correct(struct siglat *s, int error)
{
	struct siglat_stats *stats = &s->stats;

	lockdep_assert_held(&s->lock);
	stats->sent--;
	if (error == -ESRCH) {
		stats->expired--;
		stats->state = SIGLAT_STATE_GONE;
	} else {
		stats->refused++;
		stats->last_errno = -error;
	}
}

/* What is left to do after some expiries. Any context. */
static void siglat_finish(struct siglat *s, bool last, int error)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	if (error)
		siglat_correct(s, error);
	if (error != -ESRCH) {
		if (s->ring)
			siglat_publish(s);
		if (last)
			s->stats.state = SIGLAT_STATE_DONE;
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	siglat_wake_readers(s);
}

/* Serves @s->shot; false if it was the last one. Context of the stream. */
static bool siglat_serve(struct siglat *s)
{
	struct siglat_event *shot = &s->shot;
	int error = 0;
	bool last;

	shot->cpu = raw_smp_processor_id();
	last = siglat_count(s);
	if (s->config.mode == SIGLAT_MODE_USER)
		error = siglat_signal(s);
	shot->error = -error;
	if (last || error || s->ring)
		siglat_finish(s, last, error);
	return !last && error != -ESRCH;
}

/* Process context, SCHED_FIFO, bound to the timer's CPU while that is online. */
static int siglat_thread(void *data)
{
	struct siglat *s = data;

	for (;;) {
		set_current_state(TASK_IDLE);
		/* Pairs with the release in siglat_expire(): @shot is whole. */
		if (!smp_load_acquire(&s->handed)) {
			if (kthread_should_stop())
				break;
			schedule();
			continue;
		}
		if (s->config.mode == SIGLAT_MODE_KTHREAD)
			s->shot.done_ns = ktime_get_ns();
		__set_current_state(TASK_RUNNING);
		siglat_serve(s);
		/* Pairs with the acquire in siglat_expire(): @shot is free. */
		smp_store_release(&s->handed, false);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* The thread did not get round to the last expiry. Hard interrupt. */
static void siglat_miss(struct siglat *s, u64 periods)
{
	unsigned long flags;

	if (!periods)
		return;
	s->missed += periods;
	raw_spin_lock_irqsave(&s->lock, flags);
	s->stats.overruns += periods;
	raw_spin_unlock_irqrestore(&s->lock, flags);
}

/*
 * Hard interrupt, or soft interrupt in context SOFTIRQ. The timer is moved on
 * before the expiry is served: it costs nothing of the time measured.
 */
static enum hrtimer_restart siglat_expire(struct hrtimer *timer)
{
	struct siglat *s = container_of(timer, struct siglat, timer);
	struct siglat_event *shot = &s->shot;
	ktime_t fired = ktime_get();
	ktime_t expires = hrtimer_get_expires(timer);
	u64 periods = hrtimer_forward(timer, fired, s->period);
	bool last;

	if (!siglat_running(s))
		return HRTIMER_NORESTART;
	/* Pairs with the release in siglat_thread(): @shot is free. */
	if (smp_load_acquire(&s->handed)) {
		siglat_miss(s, periods);
		return HRTIMER_RESTART;
	}
	shot->seq = s->seq++;
	shot->expires_ns = ktime_to_ns(expires);
	shot->fired_ns = ktime_to_ns(fired);
	shot->sent_ns = shot->fired_ns;
	shot->done_ns = shot->fired_ns;
	shot->overruns = min_t(u64, s->missed, U32_MAX);
	s->missed = 0;
	if (periods > 1)
		siglat_miss(s, periods - 1);
	if (!s->thread)
		return siglat_serve(s) ? HRTIMER_RESTART : HRTIMER_NORESTART;

	last = s->seq == s->config.count;
	if (s->config.mode == SIGLAT_MODE_KTHREAD)
		shot->sent_ns = ktime_get_ns();
	/* Pairs with the acquire in siglat_thread(): @shot is whole. */
	smp_store_release(&s->handed, true);
	wake_up_process(s->thread);
	return last ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

static enum hrtimer_mode siglat_timer_mode(const struct siglat *s)
{
	if (s->stats.context == SIGLAT_CONTEXT_SOFTIRQ)
		return HRTIMER_MODE_ABS_PINNED_SOFT;
	/*
	 * Without PREEMPT_RT both of these expire in the hard interrupt, and
	 * lockdep takes the locks of signals and wait queues amiss in one that
	 * would do so with it, too (lockdep_hrtimer_enter()).
	 */
	return IS_ENABLED(CONFIG_PREEMPT_RT) ? HRTIMER_MODE_ABS_PINNED_HARD :
					       HRTIMER_MODE_ABS_PINNED;
}

/* Runs on the timer's CPU with interrupts off: a pinned timer stays there. */
static void siglat_arm(void *data)
{
	struct siglat *s = data;

	hrtimer_start(&s->timer, ktime_add(ktime_get(), s->period),
		      siglat_timer_mode(s));
}

/*
 * Ends all activity of the stream and forgets the thread. Process context,
 * @mutex held or the last user.
 */
static void siglat_quiesce(struct siglat *s)
{
	unsigned long flags;

	hrtimer_cancel(&s->timer);
	if (s->thread) {
		/* Whoever spins on the timer's CPU shall not block close(). */
		set_cpus_allowed_ptr(s->thread, cpu_possible_mask);
		kthread_stop(s->thread);
		s->thread = NULL;
	}
	/* Not without need: it waits for an RCU grace period on PREEMPT_RT. */
	if (s->wake_used) {
		irq_work_sync(&s->wake);
		s->wake_used = false;
	}
	raw_spin_lock_irqsave(&s->lock, flags);
	s->stats.state &= ~SIGLAT_STATE_RUNNING;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	wake_up_interruptible_all(&s->wait);
}

static int siglat_create_thread(struct siglat *s, unsigned int on)
{
	struct task_struct *thread;
	int error;

	thread = kthread_create(siglat_thread, s, "siglat/%u", on);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, on);
	error = siglat_set_fifo(thread, s->config.priority ?: thread_priority);
	if (error) {
		kthread_stop(thread);
		return error;
	}
	s->thread = thread;
	wake_up_process(thread);
	return 0;
}

static void siglat_reset(struct siglat *s, u32 state)
{
	unsigned long flags;

	memset(&s->shot, 0, sizeof(s->shot));
	s->shot.kind = s->config.mode;
	s->handed = false;
	s->seq = 0;
	s->missed = 0;
	raw_spin_lock_irqsave(&s->lock, flags);
	memset(&s->stats, 0, sizeof(s->stats));
	s->stats.cpu = -1;
	s->stats.state = state;
	s->stats.context = siglat_effective_context(&s->config);
	s->head = 0;
	s->tail = 0;
	raw_spin_unlock_irqrestore(&s->lock, flags);
}

/* Process context, @mutex held or not yet shared. */
static int siglat_start(struct siglat *s)
{
	unsigned int on = s->config.cpu;
	int error;

	if (siglat_running(s))
		return -EBUSY;
	siglat_quiesce(s);
	if (s->config.mode == SIGLAT_MODE_USER && !siglat_receiver_lives(s))
		return -ESRCH;
	if (s->config.cpu == SIGLAT_CPU_CURRENT)
		on = raw_smp_processor_id();
	if (on >= nr_cpu_ids || !cpu_online(on))
		return -ENXIO;

	siglat_reset(s, SIGLAT_STATE_RUNNING);
	hrtimer_setup(&s->timer, siglat_expire, CLOCK_MONOTONIC,
		      siglat_timer_mode(s));
	if (s->config.mode == SIGLAT_MODE_KTHREAD ||
	    s->stats.context == SIGLAT_CONTEXT_THREAD) {
		error = siglat_create_thread(s, on);
		if (error)
			goto stop;
	}
	error = smp_call_function_single(on, siglat_arm, s, 1);
	if (!error)
		return 0;
stop:
	siglat_quiesce(s);
	return error;
}

static int siglat_check_context(const struct siglat_config *c)
{
	if (c->context > SIGLAT_CONTEXT_THREAD)
		return -EINVAL;
	if (c->context == SIGLAT_CONTEXT_THREAD && c->mode != SIGLAT_MODE_USER)
		return -EINVAL;
	if (c->context == SIGLAT_CONTEXT_HARDIRQ &&
	    c->mode == SIGLAT_MODE_USER && IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	return 0;
}

static bool siglat_can_priority(u32 priority)
{
	return SIGLAT_FEATURE_PRIORITY_HERE || priority == SIGLAT_DEFAULT_PRIORITY;
}

static int siglat_check_config(const struct siglat_config *c)
{
	if (c->flags & ~SIGLAT_FLAGS_ALL ||
	    memchr_inv(c->padding, 0, sizeof(c->padding)))
		return -EINVAL;
	if (c->mode > SIGLAT_MODE_IRQ)
		return -EINVAL;
	if (c->clock != CLOCK_REALTIME && c->clock != CLOCK_MONOTONIC)
		return -EINVAL;
	if (c->period_ns < (u64)min_period_us * NSEC_PER_USEC ||
	    c->period_ns > SIGLAT_MAX_PERIOD_NS)
		return -EINVAL;
	/* The time of the last expiry can be represented. */
	if (c->count > div64_u64(KTIME_MAX, c->period_ns))
		return -EINVAL;
	if (c->priority >= MAX_RT_PRIO || c->cpu < SIGLAT_CPU_CURRENT)
		return -EINVAL;
	if (c->cpu != SIGLAT_CPU_CURRENT &&
	    (c->cpu >= nr_cpu_ids || !cpu_online(c->cpu)))
		return -ENXIO;
	if (c->priority && !siglat_can_priority(c->priority))
		return -EOPNOTSUPP;
	return siglat_check_context(c);
}

/* Process context, @mutex held or not yet shared, nothing runs. */
static void siglat_configure(struct siglat *s, const struct siglat_config *c)
{
	s->config = *c;
	s->period = ns_to_ktime(c->period_ns);
	s->stats.context = siglat_effective_context(c);
}

static struct siglat_event *siglat_swap_ring(struct siglat *s,
					     struct siglat_event *ring)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	swap(s->ring, ring);
	s->head = 0;
	s->tail = 0;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return ring;
}

static int siglat_set_config(struct siglat *s, const void __user *arg)
{
	struct siglat_event *ring = NULL;
	struct siglat_config config;
	int error;

	if (copy_from_user(&config, arg, sizeof(config)))
		return -EFAULT;
	error = siglat_check_config(&config);
	if (error)
		return error;
	if (siglat_running(s))
		return -EBUSY;
	siglat_quiesce(s);
	if (config.flags & SIGLAT_FLAG_EVENTS) {
		ring = kvcalloc(SIGLAT_RING_EVENTS, sizeof(*ring), GFP_KERNEL);
		if (!ring)
			return -ENOMEM;
	}
	siglat_configure(s, &config);
	kvfree(siglat_swap_ring(s, ring));
	return 0;
}

static int siglat_info(void __user *arg)
{
	const struct siglat_info info = {
		.abi_version = SIGLAT_ABI_VERSION,
		.features = SIGLAT_FEATURE_EVENTS | SIGLAT_FEATURE_MODES |
			    SIGLAT_FEATURE_VALUE | SIGLAT_FEATURE_PRIORITY_HERE |
			    siglat_trace_feature() |
			    (IS_ENABLED(CONFIG_PREEMPT_RT) ?
			     SIGLAT_FEATURE_PREEMPT_RT : 0),
		.min_period_ns = (u64)min_period_us * NSEC_PER_USEC,
		.max_period_ns = SIGLAT_MAX_PERIOD_NS,
		.signal = SIGLAT_SIGNAL,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static int siglat_stats(struct siglat *s, void __user *arg)
{
	struct siglat_stats stats;
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	stats = s->stats;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return copy_to_user(arg, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static long siglat_locked_ioctl(struct siglat *s, unsigned int cmd,
				void __user *arg)
{
	lockdep_assert_held(&s->mutex);
	switch (cmd) {
	case SIGLAT_IOC_GET_CONFIG:
		return copy_to_user(arg, &s->config, sizeof(s->config)) ?
			-EFAULT : 0;
	case SIGLAT_IOC_SET_CONFIG:
		return siglat_set_config(s, arg);
	case SIGLAT_IOC_START:
		return siglat_start(s);
	case SIGLAT_IOC_STOP:
		siglat_quiesce(s);
		return 0;
	case SIGLAT_IOC_TRACE:
		return siglat_trace_start(&s->tracer, arg);
	case SIGLAT_IOC_MARKS:
		return siglat_trace_read(s->tracer, arg);
	}
	return -ENOTTY;
}

static long siglat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct siglat *s = file->private_data;
	long ret;

	if (cmd == SIGLAT_IOC_INFO)
		return siglat_info((void __user *)arg);
	if (cmd == SIGLAT_IOC_STATS)
		return siglat_stats(s, (void __user *)arg);
	if (mutex_lock_interruptible(&s->mutex))
		return -ERESTARTSYS;
	ret = siglat_locked_ioctl(s, cmd, (void __user *)arg);
	mutex_unlock(&s->mutex);
	return ret;
}

/*
 * Takes up to @max events out of the ring: their number, 0 at the end of the
 * stream, -EAGAIN if there will be more, -EINVAL if no events are kept.
 */
static int siglat_take(struct siglat *s, struct siglat_event *to, size_t max)
{
	unsigned long flags;
	int n = 0;

	raw_spin_lock_irqsave(&s->lock, flags);
	if (!s->ring)
		n = -EINVAL;
	else if (s->head == s->tail && s->stats.state & SIGLAT_STATE_RUNNING)
		n = -EAGAIN;
	else
		while (n < max && s->tail != s->head)
			to[n++] = s->ring[s->tail++ % SIGLAT_RING_EVENTS];
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return n;
}

/* @n events were taken and do not get to the reader. */
static void siglat_drop(struct siglat *s, int n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	s->stats.dropped += n;
	raw_spin_unlock_irqrestore(&s->lock, flags);
}

/* Waits for the first event; 0 at the end of the stream. */
static int siglat_take_first(struct siglat *s, struct siglat_event *to,
			     size_t max, bool nonblock)
{
	int n = siglat_take(s, to, max);
	int error;

	if (n != -EAGAIN || nonblock)
		return n;
	error = wait_event_interruptible(s->wait, (n = siglat_take(s, to, max)) != -EAGAIN);
	return error ?: n;
}

static ssize_t siglat_read(struct file *file, char __user *buf, size_t size,
			   loff_t *pos)
{
	struct siglat_event batch[SIGLAT_READ_BATCH];
	struct siglat *s = file->private_data;
	size_t left = size / sizeof(batch[0]);
	ssize_t done = 0;
	int n;

	if (!left)
		return -EINVAL;
	n = siglat_take_first(s, batch, min_t(size_t, left, ARRAY_SIZE(batch)),
			      file->f_flags & O_NONBLOCK);
	if (n < 0)
		return n;
	while (n > 0) {
		if (copy_to_user(buf + done, batch, n * sizeof(batch[0]))) {
			siglat_drop(s, n);
			return -EFAULT;
		}
		done += n * sizeof(batch[0]);
		left -= n;
		if (!left)
			break;
		n = siglat_take(s, batch, min_t(size_t, left, ARRAY_SIZE(batch)));
	}
	return done;
}

static __poll_t siglat_poll(struct file *file, poll_table *table)
{
	struct siglat *s = file->private_data;
	unsigned long flags;
	__poll_t mask = 0;

	poll_wait(file, &s->wait, table);
	raw_spin_lock_irqsave(&s->lock, flags);
	if (!(s->stats.state & SIGLAT_STATE_RUNNING))
		mask |= EPOLLHUP;
	if (!s->ring)
		mask |= EPOLLERR;
	else if (s->head != s->tail || mask)
		mask |= EPOLLIN | EPOLLRDNORM;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return mask;
}

static void siglat_free(struct siglat *s)
{
	siglat_quiesce(s);
	siglat_trace_stop(s->tracer);
	put_pid(s->pid);
	put_cred(s->cred);
	kvfree(s->ring);
	mutex_destroy(&s->mutex);
	kfree(s);
}

static struct siglat *siglat_alloc(void)
{
	const struct siglat_config config = {
		.clock = CLOCK_REALTIME,
		.period_ns = (u64)period_us * NSEC_PER_USEC,
		.cpu = cpu,
	};
	struct siglat *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	mutex_init(&s->mutex);
	raw_spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->wake, siglat_wake_work);
	siglat_configure(s, &config);
	siglat_reset(s, 0);
	hrtimer_setup(&s->timer, siglat_expire, CLOCK_MONOTONIC,
		      siglat_timer_mode(s));
	s->pid = get_pid(task_pid(current));
	s->cred = get_task_cred(current);
	s->exec_id = current->self_exec_id;
	return s;
}

static int siglat_open(struct inode *inode, struct file *file)
{
	struct siglat *s = siglat_alloc();
	int error = 0;

	if (!s)
		return -ENOMEM;
	file->private_data = s;
	if ((file->f_flags & O_ACCMODE) == O_RDONLY)
		error = siglat_start(s);
	if (error)
		siglat_free(s);
	return error ?: stream_open(inode, file);
}

static int siglat_release(struct inode *inode, struct file *file)
{
	siglat_free(file->private_data);
	return 0;
}

static const struct file_operations siglat_fops = {
	.owner		= THIS_MODULE,
	.open		= siglat_open,
	.release	= siglat_release,
	.read		= siglat_read,
	.poll		= siglat_poll,
	.unlocked_ioctl	= siglat_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice siglat_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "siglat",
	.mode	= 0600,
	.fops	= &siglat_fops,
};

static int __init siglat_check_parameters(void)
{
	if (!min_period_us || period_us < min_period_us ||
	    (u64)period_us * NSEC_PER_USEC > SIGLAT_MAX_PERIOD_NS) {
		pr_err("period_us=%u is not between min_period_us=%u and %llu\n",
		       period_us, min_period_us,
		       SIGLAT_MAX_PERIOD_NS / NSEC_PER_USEC);
		return -EINVAL;
	}
	if (!thread_priority || thread_priority >= MAX_RT_PRIO) {
		pr_err("thread_priority=%u is not between 1 and %u\n",
		       thread_priority, MAX_RT_PRIO - 1);
		return -EINVAL;
	}
	if (!siglat_can_priority(thread_priority)) {
		pr_err("thread_priority=%u: this kernel knows %u only\n",
		       thread_priority, SIGLAT_DEFAULT_PRIORITY);
		return -EINVAL;
	}
	if (cpu < -1 || cpu >= (int)nr_cpu_ids) {
		pr_err("cpu=%d is not between -1 and %u\n", cpu, nr_cpu_ids - 1);
		return -EINVAL;
	}
	return 0;
}

static int __init siglat_init(void)
{
	int error = siglat_check_parameters();

	if (error)
		return error;
	siglat_trace_find();
	error = siglat_figures_init();
	if (error)
		return error;
	error = misc_register(&siglat_device);
	if (error)
		siglat_figures_exit();
	return error;
}

static void __exit siglat_exit(void)
{
	misc_deregister(&siglat_device);
	siglat_figures_exit();
}

module_init(siglat_init);
module_exit(siglat_exit);

MODULE_AUTHOR("The siglat authors");
MODULE_DESCRIPTION("signal-delivery latency, measured from kernel to user space");
MODULE_VERSION("1.0");
MODULE_LICENSE("GPL");
