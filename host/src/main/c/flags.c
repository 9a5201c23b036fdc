/*
 * The JVM's own flags, as it describes them to tools: gHotSpotVMStructs and gHotSpotVMTypes, tables that every HotSpot exports
 * (vmStructs.hpp), say where the table of JVMFlag is and how one looks.
 */
#define _GNU_SOURCE
#include "host.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <string.h>

/* More than any JVM has. */
enum { MOST_ROWS = 100000, MOST_FLAGS = 10000 };

struct structs {
    const char *rows;
    uint64_t stride;
    uint64_t type;
    uint64_t field;
    uint64_t offset;
    uint64_t address;
};

static uint64_t number(void *jvm, const char *symbol) {
    const uint64_t *at = dlsym(jvm, symbol);
    return at == NULL ? 0 : *at;
}

static const char *text(const char *row, uint64_t offset) {
    return *(const char *const *)(row + offset);
}

/* The row of a field of JVMFlag, or NULL. */
static const char *field(const struct structs *in, const char *name) {
    const char *row = in->rows;
    for (int i = 0; i < MOST_ROWS && text(row, in->type) != NULL; i++, row += in->stride) {
        if (strcmp(text(row, in->type), "JVMFlag") == 0 && strcmp(text(row, in->field), name) == 0) {
            return row;
        }
    }
    return NULL;
}

/* sizeof(JVMFlag), 0 if it is not told. */
static uint64_t flag_size(void *jvm) {
    const char *const *table = dlsym(jvm, "gHotSpotVMTypes");
    uint64_t stride = number(jvm, "gHotSpotVMTypeEntryArrayStride");
    uint64_t name = number(jvm, "gHotSpotVMTypeEntryTypeNameOffset");
    uint64_t size = number(jvm, "gHotSpotVMTypeEntrySizeOffset");
    const char *row = table == NULL ? NULL : *table;
    for (int i = 0; row != NULL && stride != 0 && i < MOST_ROWS && text(row, name) != NULL; i++, row += stride) {
        if (strcmp(text(row, name), "JVMFlag") == 0) {
            return *(const uint64_t *)(row + size);
        }
    }
    return 0;
}

static int read_flag(void *jvm, const char *name, int otherwise) {
    const char *const *table = dlsym(jvm, "gHotSpotVMStructs");
    struct structs in = {
        table == NULL ? NULL : *table, number(jvm, "gHotSpotVMStructEntryArrayStride"),
        number(jvm, "gHotSpotVMStructEntryTypeNameOffset"), number(jvm, "gHotSpotVMStructEntryFieldNameOffset"),
        number(jvm, "gHotSpotVMStructEntryOffsetOffset"), number(jvm, "gHotSpotVMStructEntryAddressOffset"),
    };
    uint64_t size = flag_size(jvm);
    if (in.rows == NULL || in.stride == 0 || size == 0) {
        return otherwise;
    }
    const char *flags = field(&in, "flags");
    const char *count = field(&in, "numFlags");
    const char *name_at = field(&in, "_name");
    const char *value_at = field(&in, "_addr");
    if (flags == NULL || count == NULL || name_at == NULL || value_at == NULL) {
        return otherwise;
    }
    const char *flag = **(const char **const *)(flags + in.address);
    uint64_t number_of_flags = **(const uint64_t *const *)(count + in.address);
    for (uint64_t i = 0; i < number_of_flags && i < MOST_FLAGS; i++, flag += size) {
        const char *this_name = text(flag, *(const uint64_t *)(name_at + in.offset));
        if (this_name != NULL && strcmp(this_name, name) == 0) {
            return *(const bool *)text(flag, *(const uint64_t *)(value_at + in.offset));
        }
    }
    return otherwise;
}

/* Whether a flag is set; what is given if this JVM has none of that name. */
bool flag_is_set(const char *name, bool otherwise) {
    void *jvm = runtime_library();
    bool value = jvm == NULL ? otherwise : read_flag(jvm, name, otherwise) != 0;
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return value;
}
