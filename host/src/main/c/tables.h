/* The tables by which a JVM describes its types and fields to tools. */
#ifndef MAYFLY_TABLES_H
#define MAYFLY_TABLES_H

#include <stdbool.h>
#include <stdint.h>

struct field_place {
    const void *address;
    uint64_t offset;
};

bool table_field(void *jvm, const char *type, const char *name, struct field_place *place);
uint64_t table_size(void *jvm, const char *type);
const void *table_flag(void *jvm, const char *name);

#endif
