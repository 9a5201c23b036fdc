/* The tables by which a JVM describes itself, and the flags that are found by them. */
#define _GNU_SOURCE
#include <dlfcn.h>

/* Double: the symbols of a libjvm. */
static void *planted_dlsym(void *handle, const char *name);

#define dlsym planted_dlsym
#include "../../main/c/tables.c"
#include "../../main/c/flags.c"
#undef dlsym

#include "check.h"

#include <stddef.h>

struct struct_entry {
    const char *type;
    const char *field;
    uint64_t offset;
    const void *address;
};

struct type_entry {
    const char *name;
    uint64_t size;
};

struct flag {
    int unrelated;
    const char *name;
    const void *value;
};

static const bool is_on = true;
static const bool is_off = false;
static const int64_t depth = 1024;
static struct flag flags[] = {{0, NULL, NULL}, {0, "UseOn", &is_on}, {0, "UseOff", &is_off}, {0, "Depth", &depth}};
static struct flag *first_flag = flags;
static uint64_t number_of_flags = sizeof flags / sizeof flags[0];
static int a_static;

static struct struct_entry structs[] = {
    {"ThreadsList", "_length", 8, NULL}, {"JVMFlag", "flags", 0, &first_flag},
    {"JVMFlag", "numFlags", 0, &number_of_flags}, {"JVMFlag", "_name", offsetof(struct flag, name), NULL},
    {"JVMFlag", "_addr", offsetof(struct flag, value), NULL}, {"PerfMemory", "_start", 0, &a_static},
    {NULL, NULL, 0, NULL},
    {"Hidden", "behindTheEnd", 1, NULL},
};
static struct type_entry types[] = {{"Other", 1}, {"JVMFlag", sizeof(struct flag)}, {NULL, 0}};
static const void *struct_table = structs;
static const void *type_table = types;

static const struct symbol {
    const char *name;
    uint64_t value;
} numbers[] = {
    {"gHotSpotVMStructEntryArrayStride", sizeof(struct struct_entry)},
    {"gHotSpotVMStructEntryTypeNameOffset", offsetof(struct struct_entry, type)},
    {"gHotSpotVMStructEntryFieldNameOffset", offsetof(struct struct_entry, field)},
    {"gHotSpotVMStructEntryOffsetOffset", offsetof(struct struct_entry, offset)},
    {"gHotSpotVMStructEntryAddressOffset", offsetof(struct struct_entry, address)},
    {"gHotSpotVMTypeEntryArrayStride", sizeof(struct type_entry)},
    {"gHotSpotVMTypeEntryTypeNameOffset", offsetof(struct type_entry, name)},
    {"gHotSpotVMTypeEntrySizeOffset", offsetof(struct type_entry, size)},
};
static const char *missing = "";        /* a symbol that the library does not export */
static bool has_library = true;

static void *planted_dlsym(void *handle, const char *name) {
    CHECK(handle != NULL);
    if (strcmp(name, missing) == 0) {
        return NULL;
    }
    if (strcmp(name, "gHotSpotVMStructs") == 0) {
        return &struct_table;
    }
    if (strcmp(name, "gHotSpotVMTypes") == 0) {
        return &type_table;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            return (void *)(uintptr_t)&numbers[i].value;
        }
    }
    return NULL;
}

void *runtime_library(void) {
    return has_library ? dlopen(NULL, RTLD_NOW) : NULL;
}

static void aFieldHasItsOffsetOrItsAddress(void) {
    struct field_place place;
    CHECK(table_field(&place, "ThreadsList", "_length", &place) && place.offset == 8 && place.address == NULL);
    CHECK(table_field(&place, "PerfMemory", "_start", &place) && place.address == &a_static);
}

static void aFieldThatTheTableDoesNotNameIsNotFound(void) {
    struct field_place place;
    CHECK(!table_field(&place, "ThreadsList", "_start", &place));
    CHECK(!table_field(&place, "PerfMemory", "_length", &place));
    CHECK(!table_field(&place, "Hidden", "behindTheEnd", &place));
}

static void aFlagHasTheValueOfItsKind(void) {
    CHECK(flag_is_set("UseOn", false) && !flag_is_set("UseOff", true));
    CHECK(flag_number("Depth", 7) == 1024);
}

static void anUnknownFlagHasTheDefault(void) {
    CHECK(flag_is_set("UseNone", true) && !flag_is_set("UseNone", false) && flag_number("None", 7) == 7);
    number_of_flags = 2;
    CHECK(flag_is_set("UseOn", false) && flag_is_set("UseOff", true));
    number_of_flags = sizeof flags / sizeof flags[0];
}

static void flagsOfALibraryWithoutTheTablesHaveTheDefault(void) {
    static const char *const needed[] = {"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", "gHotSpotVMTypes",
        "gHotSpotVMTypeEntryArrayStride"};
    struct field_place place;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        missing = needed[i];
        CHECK(!flag_is_set("UseOn", false) && flag_number("Depth", 7) == 7);
        CHECK(table_field(&place, "PerfMemory", "_start", &place) == (i >= 2));
    }
    missing = "";
    has_library = false;
    CHECK(!flag_is_set("UseOn", false) && flag_number("Depth", 7) == 7);
    has_library = true;
}

static void flagsOfATableWithoutAFieldHaveTheDefault(void) {
    for (int i = 1; i <= 4; i++) {
        const char *field = structs[i].field;
        structs[i].field = "renamed";
        CHECK(!flag_is_set("UseOn", false));
        structs[i].field = field;
    }
    types[1].name = "Renamed";
    CHECK(!flag_is_set("UseOn", false));
    types[1].name = "JVMFlag";
    CHECK(flag_is_set("UseOn", false));
}

int main(void) {
    RUN(aFieldHasItsOffsetOrItsAddress);
    RUN(aFieldThatTheTableDoesNotNameIsNotFound);
    RUN(aFlagHasTheValueOfItsKind);
    RUN(anUnknownFlagHasTheDefault);
    RUN(flagsOfALibraryWithoutTheTablesHaveTheDefault);
    RUN(flagsOfATableWithoutAFieldHaveTheDefault);
}
