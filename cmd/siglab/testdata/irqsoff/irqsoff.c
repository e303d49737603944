// SPDX-License-Identifier: GPL-2.0-only
/* Writing N to the parameter hold_ns keeps interrupts off for N ns, there. */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/timekeeping.h>

static int hold(const char *text, const struct kernel_param *param)
{
	unsigned long flags;
	u64 ns, end;
	int error = kstrtou64(text, 0, &ns);

	if (error || ns > NSEC_PER_SEC)
		return error ?: -EINVAL;
	local_irq_save(flags);
	for (end = ktime_get_mono_fast_ns() + ns; ktime_get_mono_fast_ns() < end;)
		cpu_relax();
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold };

module_param_cb(hold_ns, &hold_ops, NULL, 0200);
MODULE_DESCRIPTION("keeps interrupts off for a test");
MODULE_LICENSE("GPL");
