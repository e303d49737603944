// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user of the module writes first: opens the device and does nothing
 * else about it. Prints each signal's latency in ns; ends after ten. With an
 * argument it spins in main, without one it sleeps in pause().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void handler(int sig, siginfo_t *info, void *context)
{
	static int count;
	struct timespec now;
	long d;

	clock_gettime(CLOCK_REALTIME, &now);
	d = now.tv_nsec - info->si_int;
	if (d < 0)
		d += 1000000000;
	printf("%ld\n", d);
	if (info->si_code != SI_QUEUE)
		_exit(3);
	if (++count == 10)
		exit(0);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGRTMAX, &sa, NULL);
	if (open("/dev/siglat", O_RDONLY) < 0) {
		perror("/dev/siglat");
		return 1;
	}
	if (argc > 1)
		while (1)
			;
	while (1)
		pause();
}
