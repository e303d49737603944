/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SIGLAT_TRACE_H
#define _SIGLAT_TRACE_H

#include "siglat.h"

struct siglat_tracer;

/* Looks for the tracepoints. Process context, before any other call. */
void siglat_trace_find(void);

/* SIGLAT_FEATURE_TRACE if all tracepoints that are needed are there. */
u32 siglat_trace_feature(void);

/* SIGLAT_IOC_TRACE; sets @tracer. Process context, caller keeps others out. */
long siglat_trace_start(struct siglat_tracer **tracer, void __user *arg);

/* SIGLAT_IOC_MARKS. Context as above. */
long siglat_trace_read(struct siglat_tracer *tracer, void __user *arg);

/* Ends what siglat_trace_start() began; @tracer may be NULL. */
void siglat_trace_stop(struct siglat_tracer *tracer);

#endif /* _SIGLAT_TRACE_H */
