/* The JVM's flags. */
#ifndef MAYFLY_FLAGS_H
#define MAYFLY_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

bool flag_is_set(const char *name, bool otherwise);
int32_t flag_number(const char *name, int32_t otherwise);

#endif
