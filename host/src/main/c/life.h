/* The life of the hosted profiler. */
#ifndef MAYFLY_LIFE_H
#define MAYFLY_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

bool life_to(enum host_life next);
bool life_to_locked(enum host_life next);
bool life_detach_locked(uint64_t expected_nanos);
bool life_force_locked(void);
bool life_probe(bool probed);
void life_pinned(const char *by);
void life_not_pinned(void);
enum host_state life_published(void);
bool life_is(enum host_life state);
bool life_admits_callbacks(void);
bool life_has_environment(void);

#endif
