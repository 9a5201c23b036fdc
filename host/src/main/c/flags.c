/* The JVM's own flags. */
#define _GNU_SOURCE
#include "flags.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>

/* Returns true if the flag is set; the given default if this JVM has no such flag. */
bool flag_is_set(const char *name, bool otherwise) {
    void *jvm = runtime_library();
    const bool *value = jvm == NULL ? NULL : table_flag(jvm, name);
    bool set = value == NULL ? otherwise : *value;
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return set;
}

/*
 * Returns the value of a 32-bit or 64-bit numeric flag, limited to 32 bits; the given default if this JVM has no such
 * flag.
 */
int32_t flag_number(const char *name, int32_t otherwise) {
    void *jvm = runtime_library();
    const int32_t *value = jvm == NULL ? NULL : table_flag(jvm, name);
    int32_t number = value == NULL ? otherwise : *value;
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return number;
}
