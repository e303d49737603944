// SPDX-License-Identifier: GPL-2.0-only
/*
 * siglat: marks of what the kernel does on a CPU, to find who is to blame
 *
 * Probes on the kernel's own tracepoints write one mark each into a ring of
 * their CPU. They are registered while a file has asked for them by
 * SIGLAT_IOC_TRACE, for that file alone; else they cost nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#endif

#include "trace.h"

#define SIGLAT_MAX_MARKS	65536
#define SIGLAT_TRACE_BATCH	8

static_assert(sizeof(struct siglat_trace) == 160);
static_assert(sizeof(struct siglat_marks) == 40);
static_assert(sizeof(struct siglat_mark) == 64);

/**
 * struct siglat_ring - marks of one CPU
 * @marks: the marks, NULL where nothing is marked; constant while probes run
 * @head: marks ever written, modulo 2^32; written by its CPU with interrupts
 *	off, read by any
 * @hard_ns: when the hard interrupt in progress began; its CPU only
 * @soft_ns: when the soft interrupt in progress began; its CPU only
 */
struct siglat_ring {
	struct siglat_mark *marks;
	u32 head;
	s64 hard_ns;
	s64 soft_ns;
};

/**
 * struct siglat_tracer - the marks of one open file
 * @rings: one for each possible CPU
 * @mask: marks of a ring, a power of two, minus 1. Constant.
 * @tgid: process whose wake-ups and signals are marked. Constant.
 */
struct siglat_tracer {
	struct siglat_ring __percpu *rings;
	u32 mask;
	pid_t tgid;
};

/*
 * Writes a mark with the current task. @begin_ns 0: now. Any context but NMI.
 * The mark is invalid while it changes: siglat_copy_mark() reads from another
 * CPU without a lock.
 */
static void siglat_put(struct siglat_ring *ring, const struct siglat_tracer *t,
		       u32 kind, u32 number, s64 begin_ns)
{
	const struct task_struct *task = current;
	s64 now = ktime_get_mono_fast_ns();
	u32 index = ring->head;
	struct siglat_mark *mark = &ring->marks[index & t->mask];

	WRITE_ONCE(mark->seq, index);
	/* Whoever sees a part of the new mark sees that number, too. */
	smp_wmb();
	mark->time_ns = now;
	mark->begin_ns = begin_ns ?: now;
	mark->kind = kind;
	mark->number = number;
	mark->pid = task->pid;
	mark->policy = task->policy;
	mark->prio = task->prio;
	memcpy(mark->comm, task->comm, sizeof(mark->comm));
	/* Pairs with the acquire in siglat_copy_mark(): the mark is whole. */
	smp_store_release(&mark->seq, index + 1);
	WRITE_ONCE(ring->head, index + 1);
}

/* Any context but NMI. */
static void siglat_mark(const struct siglat_tracer *t, u32 kind, u32 number)
{
	struct siglat_ring *ring;
	unsigned long flags;

	raw_local_irq_save(flags);
	ring = this_cpu_ptr(t->rings);
	if (ring->marks)
		siglat_put(ring, t, kind, number, 0);
	raw_local_irq_restore(flags);
}

/* Hard interrupt. They do not nest. */
static void siglat_hard_entry(const struct siglat_tracer *t)
{
	this_cpu_ptr(t->rings)->hard_ns = ktime_get_mono_fast_ns();
}

/* Hard interrupt. */
static void siglat_hard_exit(const struct siglat_tracer *t, u32 kind, u32 number)
{
	struct siglat_ring *ring = this_cpu_ptr(t->rings);

	/* Zero: it was in progress when the probes were registered. */
	if (ring->marks && ring->hard_ns)
		siglat_put(ring, t, kind, number, ring->hard_ns);
}

#ifdef SIGLAT_SWITCH_STATE
static void siglat_on_switch(void *data, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int state)
#else
static void siglat_on_switch(void *data, bool preempt, struct task_struct *prev,
			     struct task_struct *next)
#endif
{
	siglat_mark(data, SIGLAT_MARK_SWITCH, next->pid);
}

static void siglat_on_waking(void *data, struct task_struct *task)
{
	const struct siglat_tracer *t = data;

	if (task->tgid == t->tgid)
		siglat_mark(t, SIGLAT_MARK_WAKE, task->pid);
}

static void siglat_on_deliver(void *data, int sig, struct kernel_siginfo *info,
			      struct k_sigaction *action)
{
	const struct siglat_tracer *t = data;

	if (current->tgid == t->tgid)
		siglat_mark(t, SIGLAT_MARK_DELIVER, sig);
}

static void siglat_on_irq_entry(void *data, int irq, struct irqaction *action)
{
	siglat_hard_entry(data);
}

static void siglat_on_irq_exit(void *data, int irq, struct irqaction *action,
			       int ret)
{
	siglat_hard_exit(data, SIGLAT_MARK_IRQ, irq);
}

static void siglat_on_softirq_entry(void *data, unsigned int vector)
{
	const struct siglat_tracer *t = data;
	struct siglat_ring *ring = get_cpu_ptr(t->rings);

	ring->soft_ns = ktime_get_mono_fast_ns();
	put_cpu_ptr(t->rings);
}

static void siglat_on_softirq_exit(void *data, unsigned int vector)
{
	const struct siglat_tracer *t = data;
	struct siglat_ring *ring;
	unsigned long flags;

	raw_local_irq_save(flags);
	ring = this_cpu_ptr(t->rings);
	if (ring->marks && ring->soft_ns)
		siglat_put(ring, t, SIGLAT_MARK_SOFTIRQ, vector, ring->soft_ns);
	raw_local_irq_restore(flags);
}

static void siglat_on_vector_entry(void *data, int vector)
{
	siglat_hard_entry(data);
}

static void siglat_on_vector_exit(void *data, int vector)
{
	siglat_hard_exit(data, SIGLAT_MARK_VECTOR, vector);
}

/* Fails to compile where a tracepoint passes something else. */
static void __maybe_unused siglat_check_probes(void)
{
	check_trace_callback_type_sched_switch(siglat_on_switch);
	check_trace_callback_type_sched_waking(siglat_on_waking);
	check_trace_callback_type_signal_deliver(siglat_on_deliver);
	check_trace_callback_type_irq_handler_entry(siglat_on_irq_entry);
	check_trace_callback_type_irq_handler_exit(siglat_on_irq_exit);
	check_trace_callback_type_softirq_entry(siglat_on_softirq_entry);
	check_trace_callback_type_softirq_exit(siglat_on_softirq_exit);
#ifdef CONFIG_X86_LOCAL_APIC
	check_trace_callback_type_local_timer_entry(siglat_on_vector_entry);
	check_trace_callback_type_local_timer_exit(siglat_on_vector_exit);
#endif
}

/*
 * The tracepoints are not exported by name, so they are looked for once.
 * @vector: one of x86, which need not be there. Entries come before exits.
 */
static struct siglat_hook {
	const char *name;
	void *probe;
	bool vector;
	struct tracepoint *point;
} siglat_hooks[] = {
	{ "sched_switch", siglat_on_switch },
	{ "sched_waking", siglat_on_waking },
	{ "signal_deliver", siglat_on_deliver },
	{ "irq_handler_entry", siglat_on_irq_entry },
	{ "irq_handler_exit", siglat_on_irq_exit },
	{ "softirq_entry", siglat_on_softirq_entry },
	{ "softirq_exit", siglat_on_softirq_exit },
	{ "local_timer_entry", siglat_on_vector_entry, true },
	{ "local_timer_exit", siglat_on_vector_exit, true },
	{ "reschedule_entry", siglat_on_vector_entry, true },
	{ "reschedule_exit", siglat_on_vector_exit, true },
	{ "call_function_entry", siglat_on_vector_entry, true },
	{ "call_function_exit", siglat_on_vector_exit, true },
	{ "call_function_single_entry", siglat_on_vector_entry, true },
	{ "call_function_single_exit", siglat_on_vector_exit, true },
	{ "irq_work_entry", siglat_on_vector_entry, true },
	{ "irq_work_exit", siglat_on_vector_exit, true },
};

static void siglat_match(struct tracepoint *point, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(siglat_hooks); i++)
		if (!strcmp(point->name, siglat_hooks[i].name))
			siglat_hooks[i].point = point;
}

void siglat_trace_find(void)
{
	for_each_kernel_tracepoint(siglat_match, NULL);
}

u32 siglat_trace_feature(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(siglat_hooks); i++)
		if (!siglat_hooks[i].point && !siglat_hooks[i].vector)
			return 0;
	return SIGLAT_FEATURE_TRACE;
}

/* Process context. After it no probe of @t runs any more. */
static void siglat_unhook(struct siglat_tracer *t, int hooks)
{
	while (hooks-- > 0)
		if (siglat_hooks[hooks].point)
			tracepoint_probe_unregister(siglat_hooks[hooks].point,
						    siglat_hooks[hooks].probe, t);
	tracepoint_synchronize_unregister();
}

static int siglat_hook(struct siglat_tracer *t)
{
	int error, i;

	for (i = 0; i < ARRAY_SIZE(siglat_hooks); i++) {
		if (!siglat_hooks[i].point)
			continue;
		error = tracepoint_probe_register(siglat_hooks[i].point,
						  siglat_hooks[i].probe, t);
		if (error) {
			siglat_unhook(t, i);
			return error;
		}
	}
	return 0;
}

static void siglat_free_tracer(struct siglat_tracer *t)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(t->rings, cpu)->marks);
	free_percpu(t->rings);
	kfree(t);
}

static bool siglat_asked(const struct siglat_trace *trace, unsigned int cpu)
{
	return cpu < SIGLAT_TRACE_CPUS && trace->cpus[cpu / 64] >> cpu % 64 & 1;
}

static struct siglat_tracer *siglat_alloc_tracer(const struct siglat_trace *trace)
{
	struct siglat_tracer *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct siglat_mark *marks;
	int cpu;

	if (!t)
		return NULL;
	t->mask = trace->marks - 1;
	t->tgid = current->tgid;
	t->rings = alloc_percpu(struct siglat_ring);
	if (!t->rings) {
		kfree(t);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		if (!siglat_asked(trace, cpu))
			continue;
		marks = kvmalloc_node(array_size(trace->marks, sizeof(*marks)),
				      GFP_KERNEL | __GFP_ZERO, cpu_to_node(cpu));
		if (!marks) {
			siglat_free_tracer(t);
			return NULL;
		}
		per_cpu_ptr(t->rings, cpu)->marks = marks;
	}
	return t;
}

static int siglat_check_trace(const struct siglat_trace *trace)
{
	unsigned int cpu, asked = 0;

	if (trace->flags || trace->tgid ||
	    memchr_inv(trace->padding, 0, sizeof(trace->padding)))
		return -EINVAL;
	if (trace->marks > SIGLAT_MAX_MARKS || !is_power_of_2(trace->marks))
		return -EINVAL;
	for (cpu = 0; cpu < SIGLAT_TRACE_CPUS; cpu++) {
		if (!siglat_asked(trace, cpu))
			continue;
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return -ENXIO;
		asked++;
	}
	return asked ? 0 : -EINVAL;
}

long siglat_trace_start(struct siglat_tracer **tracer, void __user *arg)
{
	struct siglat_tracer *t;
	struct siglat_trace trace;
	int error;

	if (copy_from_user(&trace, arg, sizeof(trace)))
		return -EFAULT;
	error = siglat_check_trace(&trace);
	if (error)
		return error;
	/* Other users' tasks are seen, too. */
	if (!perfmon_capable())
		return -EPERM;
	if (!siglat_trace_feature())
		return -EOPNOTSUPP;
	if (*tracer)
		return -EBUSY;
	trace.tgid = current->tgid;
	if (copy_to_user(arg, &trace, sizeof(trace)))
		return -EFAULT;
	t = siglat_alloc_tracer(&trace);
	if (!t)
		return -ENOMEM;
	error = siglat_hook(t);
	if (error) {
		siglat_free_tracer(t);
		return error;
	}
	*tracer = t;
	return 0;
}

void siglat_trace_stop(struct siglat_tracer *tracer)
{
	if (!tracer)
		return;
	siglat_unhook(tracer, ARRAY_SIZE(siglat_hooks));
	siglat_free_tracer(tracer);
}

/* False: it was overwritten before it was read, or while. */
static bool siglat_copy_mark(const struct siglat_ring *ring, u32 mask, u32 index,
			     struct siglat_mark *to)
{
	const struct siglat_mark *mark = &ring->marks[index & mask];

	/* Pairs with the release in siglat_put(): the mark is whole. */
	if (smp_load_acquire(&mark->seq) != index + 1)
		return false;
	*to = *mark;
	/* The copy is made before the number is looked at again. */
	smp_rmb();
	return READ_ONCE(mark->seq) == index + 1;
}

/* Copies marks to user space; false if it cannot be written to. */
static bool siglat_pass(const struct siglat_ring *ring, u32 mask, u32 head,
			struct siglat_marks *marks)
{
	struct siglat_mark batch[SIGLAT_TRACE_BATCH];
	struct siglat_mark __user *to = u64_to_user_ptr(marks->buffer);
	u32 room = marks->count, n = 0;

	marks->count = 0;
	while (marks->next != head && marks->count + n < room) {
		if (siglat_copy_mark(ring, mask, marks->next++, &batch[n]))
			n++;
		else
			marks->lost++;
		if (n < SIGLAT_TRACE_BATCH && marks->next != head &&
		    marks->count + n < room)
			continue;
		if (copy_to_user(to + marks->count, batch, n * sizeof(batch[0])))
			return false;
		marks->count += n;
		n = 0;
	}
	return true;
}

long siglat_trace_read(struct siglat_tracer *tracer, void __user *arg)
{
	const struct siglat_ring *ring;
	struct siglat_marks marks;
	u32 head;

	if (copy_from_user(&marks, arg, sizeof(marks)))
		return -EFAULT;
	if (!tracer || marks.lost || marks.padding || marks.reserved)
		return -EINVAL;
	if (marks.cpu >= nr_cpu_ids || !cpu_possible(marks.cpu))
		return -ENXIO;
	ring = per_cpu_ptr(tracer->rings, marks.cpu);
	if (!ring->marks)
		return -ENXIO;
	head = READ_ONCE(ring->head);
	if (head - marks.next > tracer->mask + 1) {
		marks.lost = head - marks.next - tracer->mask - 1;
		marks.next += marks.lost;
	}
	if (!siglat_pass(ring, tracer->mask, head, &marks))
		return -EFAULT;
	return copy_to_user(arg, &marks, sizeof(marks)) ? -EFAULT : 0;
}
