/*
 * The tables by which every HotSpot describes itself to tools (vmStructs.hpp): gHotSpotVMStructs and gHotSpotVMTypes
 * give the place of a field, the address of the JVMFlag table and the layout of its elements.
 */
#define _GNU_SOURCE
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <string.h>

/* Upper bounds, higher than in any JVM. */
enum { MAX_ROWS = 100000, MAX_FLAGS = 10000 };

struct table_structs {
    const char *rows;
    uint64_t stride;
    uint64_t type;
    uint64_t field;
    uint64_t offset;
    uint64_t address;
};

static uint64_t table_number(void *jvm, const char *symbol) {
    const uint64_t *at = dlsym(jvm, symbol);
    return at == NULL ? 0 : *at;
}

static const char *table_text(const char *row, uint64_t offset) {
    return *(const char *const *)(row + offset);
}

static struct table_structs table_structs(void *jvm) {
    const char *const *table = dlsym(jvm, "gHotSpotVMStructs");
    return (struct table_structs){
        table == NULL ? NULL : *table, table_number(jvm, "gHotSpotVMStructEntryArrayStride"),
        table_number(jvm, "gHotSpotVMStructEntryTypeNameOffset"),
        table_number(jvm, "gHotSpotVMStructEntryFieldNameOffset"),
        table_number(jvm, "gHotSpotVMStructEntryOffsetOffset"), table_number(jvm, "gHotSpotVMStructEntryAddressOffset"),
    };
}

/* Returns the row of a type's field, or NULL. */
static const char *table_row(const struct table_structs *in, const char *type, const char *name) {
    const char *row = in->rows;
    for (int i = 0; i < MAX_ROWS && table_text(row, in->type) != NULL; i++, row += in->stride) {
        if (strcmp(table_text(row, in->type), type) == 0 && strcmp(table_text(row, in->field), name) == 0) {
            return row;
        }
    }
    return NULL;
}

/* For the JVM with the given libjvm handle: the size of a type, or 0 if the tables do not contain it. */
uint64_t table_size(void *jvm, const char *type) {
    const char *const *table = dlsym(jvm, "gHotSpotVMTypes");
    uint64_t stride = table_number(jvm, "gHotSpotVMTypeEntryArrayStride");
    uint64_t name = table_number(jvm, "gHotSpotVMTypeEntryTypeNameOffset");
    uint64_t size = table_number(jvm, "gHotSpotVMTypeEntrySizeOffset");
    const char *row = table == NULL ? NULL : *table;
    for (int i = 0; row != NULL && stride != 0 && i < MAX_ROWS && table_text(row, name) != NULL; i++, row += stride) {
        if (strcmp(table_text(row, name), type) == 0) {
            return *(const uint64_t *)(row + size);
        }
    }
    return 0;
}

/* For the JVM with the given libjvm handle: the address of a flag's value, or NULL if the JVM has no such flag. */
const void *table_flag(void *jvm, const char *name) {
    struct table_structs in = table_structs(jvm);
    uint64_t size = table_size(jvm, "JVMFlag");
    if (in.rows == NULL || in.stride == 0 || size == 0) {
        return NULL;
    }
    const char *flags = table_row(&in, "JVMFlag", "flags");
    const char *count = table_row(&in, "JVMFlag", "numFlags");
    const char *name_at = table_row(&in, "JVMFlag", "_name");
    const char *value_at = table_row(&in, "JVMFlag", "_addr");
    if (flags == NULL || count == NULL || name_at == NULL || value_at == NULL) {
        return NULL;
    }
    const char *flag = **(const char **const *)(flags + in.address);
    uint64_t number_of_flags = **(const uint64_t *const *)(count + in.address);
    for (uint64_t i = 0; i < number_of_flags && i < MAX_FLAGS; i++, flag += size) {
        const char *this_name = table_text(flag, *(const uint64_t *)(name_at + in.offset));
        if (this_name != NULL && strcmp(this_name, name) == 0) {
            return table_text(flag, *(const uint64_t *)(value_at + in.offset));
        }
    }
    return NULL;
}

/*
 * For the JVM with the given libjvm handle: the address of a static field, or the offset of an instance field in its
 * object. Returns false if the JVM does not describe the field.
 */
bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    struct table_structs in = table_structs(jvm);
    const char *row = in.rows == NULL || in.stride == 0 ? NULL : table_row(&in, type, name);
    if (row != NULL) {
        *place = (struct field_place){table_text(row, in.address), *(const uint64_t *)(row + in.offset)};
    }
    return row != NULL;
}
