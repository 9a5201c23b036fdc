/* The JVM's performance counters, read from memory with arbitrary content. */
#include "../../main/c/counters.c"

#include "check.h"

#include <stdlib.h>

enum { SIZE = 4096, NAME_AT = ENTRY_HEAD };

/* ---- Doubles: a JVM that describes this memory ---- */

static const char *start;
static const char *end;
static bool described = true;

void *runtime_library(void) {
    return dlopen(NULL, RTLD_NOW);
}

bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    CHECK(jvm != NULL && strcmp(type, "PerfMemory") == 0);
    *place = (struct field_place){strcmp(name, "_start") == 0 ? &start : &end, 0};
    return described;
}

/* ---- The memory ---- */

static char *memory;            /* an allocation of exactly its size */
static uint32_t used;
static uint32_t entries;

static void put(size_t at, uint32_t value) {
    memcpy(memory + at, &value, sizeof value);
}

static void begin(void) {
    free(memory);
    memory = calloc(1, SIZE);
    start = memory;
    end = memory + SIZE;
    used = PROLOGUE;
    entries = 0;
    put(0, (uint32_t)COUNTERS_MAGIC);
    put(FIRST_AT, PROLOGUE);
}

/* Appends an entry and returns its offset. */
static uint32_t add(const char *name, int64_t value) {
    uint32_t at = used;
    uint32_t value_at = (NAME_AT + (uint32_t)strlen(name) + 8) / 8 * 8;
    struct counter_entry head = {.length = value_at + 8, .name_at = NAME_AT, .type = 'J', .value_at = value_at};
    memcpy(memory + at, &head, sizeof head);
    strcpy(memory + at + NAME_AT, name);
    memcpy(memory + at + value_at, &value, sizeof value);
    used += head.length;
    put(USED_AT, used);
    put(COUNT_AT, ++entries);
    return at;
}

static struct counter_entry *head_of(uint32_t at) {
    return (struct counter_entry *)(memory + at);
}

static bool reads(struct counters *counters) {
    return counters_read(counters);
}

static void eachCounterIsReadByItsName(void) {
    struct counters counters;
    begin();
    add("sun.os.hrt.frequency", 1000);
    add("sun.gc.collector.0.name", 99);
    add("sun.gc.generation.1.space.0.used", 1);
    add("sun.gc.generation.0.space.1.used", 2);
    add("sun.gc.generation.0.space.2.used", 3);
    add("sun.gc.collector.0.invocations", 4);
    add("sun.gc.collector.0.lastExitTime", 5);
    add("sun.gc.collector.1.invocations", 6);
    add("sun.gc.collector.1.lastEntryTime", 7);
    add("sun.gc.collector.1.lastExitTime", 8);
    CHECK(reads(&counters) && counters.frequency == 1000 && counters.old_used == 1);
    CHECK(counters.survivor_used[0] == 2 && counters.survivor_used[1] == 3);
    CHECK(counters.young_collections == 4 && counters.young_ended == 5);
    CHECK(counters.full_collections == 6 && counters.full_began == 7 && counters.full_ended == 8);
}

static void aCounterThatIsMissingOrNotANumberIsZero(void) {
    struct counters counters;
    begin();
    add("sun.os.hrt.frequency", 1000);
    uint32_t text = add("sun.gc.collector.0.invocations", 4);
    uint32_t vector = add("sun.gc.collector.1.invocations", 6);
    head_of(text)->type = 'B';
    head_of(vector)->vector_length = 1;
    CHECK(reads(&counters) && counters.young_collections == 0 && counters.full_collections == 0);
}

static void memoryWithoutCountersIsNotRead(void) {
    struct counters counters;
    begin();
    CHECK(!reads(&counters));       /* no clock */
    add("sun.os.hrt.frequency", 1000);
    CHECK(reads(&counters));
    end = memory + PROLOGUE - 1;
    CHECK(!reads(&counters));
    end = memory + MAX_BYTES + 1;
    CHECK(!reads(&counters));
    end = memory + SIZE;
    put(0, 1);
    CHECK(!reads(&counters));
    start = NULL;
    CHECK(!reads(&counters));
    start = memory;
    put(0, (uint32_t)COUNTERS_MAGIC);
    described = false;
    CHECK(!reads(&counters));
    described = true;
}

/* The sanitizer reports a read beyond the memory. */
static void noEntryIsReadBeyondTheUsedBytes(void) {
    struct counters counters;
    begin();
    add("sun.os.hrt.frequency", 1000);
    uint32_t last = add("sun.gc.collector.0.invocations", 4);
    uint32_t whole = used;
    for (uint32_t cut = PROLOGUE; cut < whole; cut++) {
        put(USED_AT, cut);
        CHECK(reads(&counters) == (cut >= last) && counters.young_collections == 0);
    }
    put(USED_AT, SIZE + 1);
    CHECK(!reads(&counters));
    put(USED_AT, whole);
    put(FIRST_AT, 0xfffffff0u);
    CHECK(!reads(&counters));
}

static void malformedEntriesEndTheList(void) {
    static const uint32_t lengths[] = {0, 1, ENTRY_HEAD - 1, SIZE, 0x7fffffff, 0xffffffff};
    struct counters counters;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        begin();
        uint32_t first = add("sun.gc.collector.0.invocations", 4);
        add("sun.os.hrt.frequency", 1000);
        head_of(first)->length = lengths[i];
        CHECK(!reads(&counters) && counters.young_collections == 0);
    }
    begin();
    uint32_t first = add("sun.gc.collector.0.invocations", 4);
    add("sun.os.hrt.frequency", 1000);
    head_of(first)->name_at = head_of(first)->length;
    CHECK(!reads(&counters));
}

static void aValueOrANameThatDoesNotEndInItsEntryIsIgnored(void) {
    struct counters counters;
    begin();
    uint32_t first = add("sun.gc.collector.0.invocations", 4);
    add("sun.os.hrt.frequency", 1000);
    head_of(first)->value_at = head_of(first)->length - 7;
    CHECK(reads(&counters) && counters.young_collections == 0);
    head_of(first)->value_at = 0xffffffff;
    CHECK(reads(&counters) && counters.young_collections == 0);
    head_of(first)->value_at = head_of(first)->length - 8;
    CHECK(reads(&counters) && counters.young_collections == 4);
    memset(memory + first + NAME_AT, 'x', head_of(first)->length - NAME_AT);
    CHECK(reads(&counters) && counters.young_collections == 0);
}

int main(void) {
    RUN(eachCounterIsReadByItsName);
    RUN(aCounterThatIsMissingOrNotANumberIsZero);
    RUN(memoryWithoutCountersIsNotRead);
    RUN(noEntryIsReadBeyondTheUsedBytes);
    RUN(malformedEntriesEndTheList);
    RUN(aValueOrANameThatDoesNotEndInItsEntryIsIgnored);
    free(memory);
}
