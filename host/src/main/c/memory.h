/* Memory of this process that may be unmapped concurrently. */
#ifndef MAYFLY_MEMORY_H
#define MAYFLY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

bool memory_read(const void *from, void *to, size_t size);

#endif
