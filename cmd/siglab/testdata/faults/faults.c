// SPDX-License-Identifier: GPL-2.0-only
/* Does on purpose, once each, what the checks of a debug kernel report. */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_RAW_SPINLOCK(spin);

static void order_locks(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep_in_atomic(void)
{
	raw_spin_lock(&spin);
	might_sleep();
	raw_spin_unlock(&spin);
}

static enum hrtimer_restart expire(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

static void free_active_timer(void)
{
	struct hrtimer *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = expire;
	hrtimer_start(timer, ktime_set(1000, 0), HRTIMER_MODE_REL);
	kfree(timer);
}

static void use_after_free(void)
{
	char *p = kzalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	pr_info("faults: %d\n", READ_ONCE(*p));
}

static void underflow(void)
{
	refcount_t count = REFCOUNT_INIT(1);

	refcount_dec(&count);
	refcount_dec(&count);
}

static void shift_out(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("faults: %d\n", 1 << bits);
}

static void corrupt_list(void)
{
	LIST_HEAD(head);
	struct list_head one, two;

	list_add(&one, &head);
	head.next = &two;
	list_del(&one);
}

static int __init faults_init(void)
{
	void *leak = kmalloc(100, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(leak);
	order_locks();
	sleep_in_atomic();
	free_active_timer();
	use_after_free();
	underflow();
	shift_out();
	corrupt_list();
	return 0;
}
module_init(faults_init);

MODULE_DESCRIPTION("deliberate faults");
MODULE_LICENSE("GPL");
