/* The profiler's timer. */
#ifndef MAYFLY_TIMER_H
#define MAYFLY_TIMER_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

void timer_set(uint64_t interval_nanos);
void timer_poll_every(uint64_t interval_nanos);
bool timer_take_poll(void);
bool timer_is_due_locked(void);
void timer_wait_locked(void);
bool timer_take(jlong *missed);
void timer_look_after(uint64_t nanos);
bool timer_take_look(void);
void timer_log_after(uint64_t nanos);
bool timer_take_log(void);
void timer_lease_after(uint64_t nanos);
bool timer_take_lease(void);

#endif
