/*
 * The JVM's performance counters, which jstat reads (perfMemory.hpp, perfMemory.cpp in HotSpot). They are in memory of
 * this process, even if -XX:+PerfDisableSharedMem keeps them out of /tmp; with -XX:-UsePerfData there are none.
 *
 * A prologue of 32 bytes is followed by entries. Each entry consists of a head, the counter's name and its value.
 */
#define _GNU_SOURCE
#include "counters.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { COUNTERS_MAGIC = (int)0xc0c0feca, ENTRY_HEAD = 20, USED_AT = 8, FIRST_AT = 24, COUNT_AT = 28, PROLOGUE = 32 };
enum { MAX_BYTES = 1 << 24 };

struct counter_entry {
    uint32_t length;
    uint32_t name_at;
    uint32_t vector_length;
    char type;                  /* 'J' is a jlong */
    uint8_t flags;
    uint8_t units;
    uint8_t variability;
    uint32_t value_at;
};

_Static_assert(sizeof(struct counter_entry) == ENTRY_HEAD, "as in PerfDataEntry");

/* A counter and the offset of its value in the result. */
struct counter_row {
    const char *name;
    size_t at;
};

#define ROW(NAME, FIELD) {"sun." NAME, offsetof(struct counters, FIELD)}

static const struct counter_row counter_rows[] = {
    ROW("os.hrt.frequency", frequency),
    ROW("gc.generation.1.space.0.used", old_used),
    ROW("gc.generation.0.space.1.used", survivor_used[0]),
    ROW("gc.generation.0.space.2.used", survivor_used[1]),
    ROW("gc.collector.0.invocations", young_collections),
    ROW("gc.collector.0.lastExitTime", young_ended),
    ROW("gc.collector.1.invocations", full_collections),
    ROW("gc.collector.1.lastEntryTime", full_began),
    ROW("gc.collector.1.lastExitTime", full_ended),
};

/* Returns the value of a static pointer field of the JVM; NULL if the JVM describes no such field. */
static const void *counters_pointer(const char *type, const char *name) {
    struct field_place place;
    void *jvm = runtime_library();
    bool found = jvm != NULL && table_field(jvm, type, name, &place);
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return found ? *(const void *const *)place.address : NULL;
}

static uint32_t counters_word(const char *from, size_t at) {
    uint32_t word;
    memcpy(&word, from + at, sizeof word);
    return word;
}

static void counters_take(struct counters *into, const char *entry, const struct counter_entry *head) {
    const char *name = entry + head->name_at;
    size_t room = head->length - head->name_at;
    for (size_t i = 0; i < sizeof counter_rows / sizeof counter_rows[0]; i++) {
        if (strnlen(name, room) < room && strcmp(name, counter_rows[i].name) == 0) {
            memcpy((char *)into + counter_rows[i].at, entry + head->value_at, sizeof(int64_t));
        }
    }
}

/* Returns false if the JVM keeps no counters. A counter that the JVM does not have is 0. */
bool counters_read(struct counters *into) {
    const char *memory = counters_pointer("PerfMemory", "_start");
    const char *end = counters_pointer("PerfMemory", "_end");
    *into = (struct counters){0};
    if (memory == NULL || end < memory + PROLOGUE || end - memory > MAX_BYTES
            || counters_word(memory, 0) != (uint32_t)COUNTERS_MAGIC) {
        return false;
    }
    uint32_t used = counters_word(memory, USED_AT);
    uint32_t count = counters_word(memory, COUNT_AT);
    uint64_t at = counters_word(memory, FIRST_AT);
    used = used > (uint64_t)(end - memory) ? 0 : used;
    for (uint32_t i = 0; i < count && at + ENTRY_HEAD <= used; i++) {
        struct counter_entry head;
        memcpy(&head, memory + at, sizeof head);
        if (head.length < ENTRY_HEAD || head.length > used - at || head.name_at >= head.length) {
            break;
        }
        if (head.type == 'J' && head.vector_length == 0 && head.value_at <= head.length - sizeof(int64_t)) {
            counters_take(into, memory + at, &head);
        }
        at += head.length;
    }
    return into->frequency > 0;
}
