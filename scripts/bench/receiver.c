// SPDX-License-Identifier: GPL-2.0-only
//go:build ignore
/*
 * Reference receivers in C, for comparison with the Go ones: what a careful
 * C programmer writes. Memory is locked and touched, results are kept in
 * memory and printed at the end, one latency in ns per line.
 *
 * receiver RECEIVER CPU TIMER_CPU FIFO PERIOD_NS COUNT
 * receiver list
 *	RECEIVER	one of those that "receiver list" prints
 *	FIFO		SCHED_FIFO priority, 0 for SCHED_OTHER
 */
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/siglat.h"

#define NSEC_PER_SEC 1000000000L

static long *latency;
static long count;
static volatile long received;

/* The clock is read first; everything else comes after it. */
static inline void keep(int sent)
{
	struct timespec now;
	long d;

	clock_gettime(CLOCK_MONOTONIC, &now);
	d = now.tv_nsec - sent;
	if (d < 0)
		d += NSEC_PER_SEC;
	if (received < count)
		latency[received] = d;
	received++;
}

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	keep(info->si_int);
}

static void install_handler(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigfillset(&sa.sa_mask);
	if (sigaction(SIGRTMAX, &sa, NULL))
		error(1, errno, "sigaction");
}

static sigset_t block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		error(1, errno, "sigprocmask");
	return set;
}

static void receive_sigwait(int fd)
{
	sigset_t set = block_signal();
	siginfo_t info;

	ioctl(fd, SIGLAT_IOC_START);
	while (received < count)
		if (sigwaitinfo(&set, &info) == SIGRTMAX)
			keep(info.si_int);
}

static void receive_pause(int fd)
{
	install_handler();
	ioctl(fd, SIGLAT_IOC_START);
	while (received < count)
		pause();
}

static void receive_busy(int fd)
{
	install_handler();
	ioctl(fd, SIGLAT_IOC_START);
	/* seldom a pause: it holds off the interrupt */
	for (unsigned int n = 1; received < count; n++)
		if (n % 1024 == 0)
			__builtin_ia32_pause();
}

static void receive_poll(int fd)
{
	const struct timespec none = { 0 };
	sigset_t set = block_signal();
	siginfo_t info;

	ioctl(fd, SIGLAT_IOC_START);
	while (received < count)
		if (sigtimedwait(&set, &info, &none) == SIGRTMAX)
			keep(info.si_int);
		else
			__builtin_ia32_pause();
}

static void receive_signalfd(int fd)
{
	sigset_t set = block_signal();
	struct signalfd_siginfo info;
	int sfd = signalfd(-1, &set, SFD_CLOEXEC);

	if (sfd < 0)
		error(1, errno, "signalfd");
	ioctl(fd, SIGLAT_IOC_START);
	while (received < count)
		if (read(sfd, &info, sizeof(info)) == sizeof(info))
			keep(info.ssi_int);
}

static const struct {
	const char *name;
	void (*receive)(int fd);
} receivers[] = {
	{ "sigwait", receive_sigwait },
	{ "pause", receive_pause },
	{ "busy", receive_busy },
	{ "poll", receive_poll },
	{ "signalfd", receive_signalfd },
};

#define RECEIVERS (sizeof(receivers) / sizeof(receivers[0]))

static void prepare(int cpu, int fifo)
{
	struct sched_param sp = { .sched_priority = fifo };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		error(1, errno, "sched_setaffinity to CPU %d", cpu);
	if (fifo && sched_setscheduler(0, SCHED_FIFO, &sp))
		error(1, errno, "sched_setscheduler FIFO %d", fifo);
	latency = calloc(count, sizeof(*latency));
	if (!latency)
		error(1, errno, "memory for %ld samples", count);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		error(1, errno, "mlockall");
	memset(latency, 0xff, count * sizeof(*latency));
}

int main(int argc, char **argv)
{
	struct siglat_config config = { .clock = CLOCK_MONOTONIC };
	size_t i;
	int fd;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (i = 0; i < RECEIVERS; i++)
			puts(receivers[i].name);
		return 0;
	}
	if (argc != 7)
		error(2, 0, "usage: RECEIVER CPU TIMER_CPU FIFO PERIOD_NS COUNT");
	count = atol(argv[6]);
	config.cpu = atoi(argv[3]);
	config.period_ns = atol(argv[5]);
	config.count = count;
	prepare(atoi(argv[2]), atoi(argv[4]));
	fd = open("/dev/siglat", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		error(1, errno, "/dev/siglat");
	if (ioctl(fd, SIGLAT_IOC_SET_CONFIG, &config))
		error(1, errno, "SIGLAT_IOC_SET_CONFIG");
	for (i = 0; i < RECEIVERS; i++)
		if (!strcmp(argv[1], receivers[i].name))
			break;
	if (i == RECEIVERS)
		error(2, 0, "no receiver %s", argv[1]);
	receivers[i].receive(fd);
	close(fd);
	for (long n = 0; n < count; n++)
		printf("%ld\n", latency[n]);
	return 0;
}
