/* Memory and standard error of the archive's programs. */
#ifndef MAYFLY_MEMORY_H
#define MAYFLY_MEMORY_H

#include <stddef.h>

/* Returns zeroed memory, or ends the program. The memory is never released, because execve(2) replaces the program. */
void *allocate(size_t size);

/* Prints a line on standard error. */
void say(const char *line);

#endif
