/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SIGLAT_FIGURES_H
#define _SIGLAT_FIGURES_H

#include <linux/types.h>

/* Makes /proc/siglat. Process context. */
int siglat_figures_init(void);

/* Waits for those who read it. Process context. */
void siglat_figures_exit(void);

/* Counts @ns for this CPU, in enum siglat_mode @mode. Interrupts are off. */
void siglat_figures_add(u32 mode, s64 ns);

#endif /* _SIGLAT_FIGURES_H */
