/* The event log of the user who attached the profiler. */
#ifndef MAYFLY_LOG_H
#define MAYFLY_LOG_H

#include <stdbool.h>

#include "bytes.h"

bool log_take(const struct bytes *named);
void log_gone(void);
void log_forget(void);

#endif
