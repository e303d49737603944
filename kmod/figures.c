// SPDX-License-Identifier: GPL-2.0-only
/*
 * siglat: /proc/siglat, figures of each CPU as text
 *
 * One line for each CPU and mode that had expiries since the module was loaded
 * or the file was written to, which begins all figures anew:
 *
 *	cpu mode count min_ns mean_ns max_ns
 *
 * Nanoseconds of CLOCK_MONOTONIC from the time when the timer was due: in the
 * modes user and irq until its callback ran, in mode kthread until the thread
 * ran. A line that is read while its CPU counts may mix two expiries.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "figures.h"
#include "siglat.h"

#define SIGLAT_MODES	(SIGLAT_MODE_IRQ + 1)

static const char * const siglat_mode_names[SIGLAT_MODES] = {
	[SIGLAT_MODE_USER]	= "user",
	[SIGLAT_MODE_KTHREAD]	= "kthread",
	[SIGLAT_MODE_IRQ]	= "irq",
};

/**
 * struct siglat_figure - one CPU in one mode; written by that CPU with
 *	interrupts off, read by any
 * @era: siglat_era when counting began; the rest is old if that has changed
 * @count: expiries
 * @sum: of all, ns
 * @min: smallest, ns
 * @max: largest, ns
 */
struct siglat_figure {
	u32 era;
	u64 count;
	s64 sum;
	s64 min;
	s64 max;
};

static DEFINE_PER_CPU(struct siglat_figure [SIGLAT_MODES], siglat_figures);

/* Grows with each reset, so that no CPU waits for another one to clear. */
static atomic_t siglat_era = ATOMIC_INIT(1);

void siglat_figures_add(u32 mode, s64 ns)
{
	struct siglat_figure *f = this_cpu_ptr(&siglat_figures[mode]);
	u32 era = atomic_read(&siglat_era);

	lockdep_assert_irqs_disabled();
	if (f->era != era) {
		WRITE_ONCE(f->count, 0);
		f->sum = 0;
		f->min = S64_MAX;
		f->max = S64_MIN;
		WRITE_ONCE(f->era, era);
	}
	WRITE_ONCE(f->sum, f->sum + ns);
	WRITE_ONCE(f->min, min(f->min, ns));
	WRITE_ONCE(f->max, max(f->max, ns));
	WRITE_ONCE(f->count, f->count + 1);
}

static void siglat_figures_line(struct seq_file *file, int cpu, u32 mode)
{
	const struct siglat_figure *f = per_cpu_ptr(&siglat_figures[mode], cpu);
	u64 count = READ_ONCE(f->count);

	if (READ_ONCE(f->era) != (u32)atomic_read(&siglat_era) || !count)
		return;
	seq_printf(file, "%d %s %llu %lld %lld %lld\n", cpu,
		   siglat_mode_names[mode], count, READ_ONCE(f->min),
		   div64_s64(READ_ONCE(f->sum), count), READ_ONCE(f->max));
}

static int siglat_figures_show(struct seq_file *file, void *unused)
{
	u32 mode;
	int cpu;

	seq_puts(file, "# cpu mode count min_ns mean_ns max_ns\n");
	for_each_possible_cpu(cpu)
		for (mode = 0; mode < SIGLAT_MODES; mode++)
			siglat_figures_line(file, cpu, mode);
	return 0;
}

static int siglat_figures_open(struct inode *inode, struct file *file)
{
	return single_open(file, siglat_figures_show, NULL);
}

static ssize_t siglat_figures_write(struct file *file, const char __user *buf,
				    size_t size, loff_t *pos)
{
	atomic_inc(&siglat_era);
	return size;
}

static const struct proc_ops siglat_figures_ops = {
	.proc_open	= siglat_figures_open,
	.proc_read	= seq_read,
	.proc_write	= siglat_figures_write,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
};

int siglat_figures_init(void)
{
	return proc_create("siglat", 0644, NULL, &siglat_figures_ops) ? 0 : -ENOMEM;
}

void siglat_figures_exit(void)
{
	remove_proc_entry("siglat", NULL);
}
