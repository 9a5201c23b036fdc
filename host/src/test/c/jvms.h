/*
 * A process with several JVMs, as runtimes.c finds them: its mappings and the files of its threads in /proc are text,
 * its libraries are known to a dynamic linker of the test, and each JVM has a list of two threads.
 */
#ifndef MAYFLY_JVMS_H
#define MAYFLY_JVMS_H

#include "../../main/c/old-glibc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

static FILE *planted_fopen(const char *path, const char *mode);
static int planted_fclose(FILE *file);
static int planted_dladdr1(const void *address, Dl_info *info, void **map, int flags);
static int planted_dlinfo(void *map, int request, void *result);
static void *planted_dlmopen(Lmid_t namespace, const char *name, int mode);
static void *planted_dlsym(void *handle, const char *name);    /* defined by the test */
static int planted_dlclose(void *handle);

#define fopen planted_fopen
#define fclose planted_fclose
#define dladdr1 planted_dladdr1
#define dlinfo planted_dlinfo
#define dlmopen planted_dlmopen
#define dlsym planted_dlsym
#define dlclose planted_dlclose
#include "../../main/c/runtimes.c"
#undef fopen
#undef fclose
#undef dladdr1
#undef dlinfo
#undef dlmopen
#undef dlsym
#undef dlclose

#include "check.h"

#include <stdarg.h>
#include <stddef.h>

enum {
    MAX_JVMS = MAX_RUNTIMES + 2,
    LIBRARY_BYTES = 0x3000,
    FIRST_TID = 5000,           /* of a reference handler */
    CREATOR_TID = 3000,         /* of the thread that created a JVM, which precedes the reference handler */
};

/* ---- The double of a JVM, as its tables describe it ---- */

struct os_thread {
    int unrelated;
    uint32_t id;
};

struct thread {
    uint64_t unrelated;
    const struct os_thread *os;
};

struct list {
    uint64_t unrelated;
    uint32_t length;
    const struct thread *const *threads;
};

struct jvm {
    uint64_t start;             /* of its library */
    struct link_map map;
    Lmid_t namespace;
    bool has_tables;
    const char *os_thread_of;   /* the type of which _osthread is a field */
    int tid;
    const char *name;           /* the kernel's name of its reference handler */
    unsigned long long ticks;   /* the start time of its reference handler */
    struct os_thread os[2];
    struct thread threads[2];
    const struct thread *elements[MAX_THREADS_READ + 1];
    struct list list;
    const struct list *list_at;
    struct JNIInvokeInterface_ functions;
    JavaVM vm;
    bool is_created;
};

static struct jvm jvms[MAX_JVMS];
static int jvm_count;
static char maps[64 * 1024];
static bool has_maps;
static int open_files;
static int references;          /* to libraries that have not been closed */
static const void *unmapped;    /* memory that can no longer be read */
static struct jvm *replacing;   /* a JVM that replaces its list while it is read */
static int replacements;        /* the number of times that it will still do so */
static struct list freed[MAX_LISTS_READ];   /* the lists that it replaces */
static int copy;                /* stands for a copy of the host's library */
static struct jvm *copy_beside; /* the JVM in whose namespace it was opened */

static void begin(void) {
    memset(jvms, 0, sizeof jvms);
    jvm_count = 0;
    maps[0] = 0;
    has_maps = true;
    unmapped = NULL;
    replacing = NULL;
}

/* Adds a line to the mappings. */
__attribute__((format(printf, 1, 2))) static void line(const char *format, ...) {
    size_t length = strlen(maps);
    va_list values;
    va_start(values, format);
    int added = vsnprintf(maps + length, sizeof maps - length, format, values);
    va_end(values);
    CHECK(added > 0 && (size_t)added < sizeof maps - length);
}

/* Adds a JVM behind the others, without mappings; ticks 0: no JVM has been started in the library. */
static struct jvm *unlisted(const char *name, unsigned long long ticks) {
    CHECK(jvm_count < MAX_JVMS);
    struct jvm *jvm = &jvms[jvm_count];
    jvm->start = 0x7f0000000000 + (uint64_t)jvm_count * 0x1000000;
    jvm->map.l_name = (char *)(uintptr_t)name;
    jvm->namespace = jvm_count;
    jvm->has_tables = true;
    jvm->os_thread_of = "Thread";
    jvm->tid = FIRST_TID + jvm_count;
    jvm->name = "Reference Handl";
    jvm->ticks = ticks;
    jvm->os[0].id = (uint32_t)(CREATOR_TID + jvm_count);
    jvm->os[1].id = (uint32_t)jvm->tid;
    for (int i = 0; i < 2; i++) {
        jvm->threads[i].os = &jvm->os[i];
        jvm->elements[i] = &jvm->threads[i];
    }
    jvm->list = (struct list){.length = ticks == 0 ? 0 : 2, .threads = jvm->elements};
    jvm->list_at = &jvm->list;
    jvm->functions.GetEnv = (jint (JNICALL *)(JavaVM *, void **, jint))(uintptr_t)(jvm->start + 0x1800);
    jvm->vm = &jvm->functions;
    jvm->is_created = ticks != 0;
    jvm_count++;
    return jvm;
}

/* Adds a JVM whose library is mapped under a path. */
static struct jvm *mapped(const char *path, unsigned long long ticks) {
    struct jvm *jvm = unlisted(path, ticks);
    unsigned long at = jvm->start;
    line("%lx-%lx r--p 00000000 fe:00 1234                       %s\n", at, at + 0x1000, path);
    line("%lx-%lx r-xp 00001000 fe:00 1234                       %s\n", at + 0x1000, at + 0x2000, path);
    line("%lx-%lx rw-p 00002000 fe:00 1234                       %s\n", at + 0x2000, at + 0x3000, path);
    return jvm;
}

/* ---- The doubles ---- */

bool memory_read(const void *from, void *to, size_t size) {
    if (from == unmapped) {
        return false;
    }
    memcpy(to, from, size);
    if (replacing != NULL && replacements > 0 && from == &replacing->list_at->length) {
        replacements--;
        replacing->list_at = replacements == 0 ? &replacing->list : &freed[replacements - 1];
    }
    return true;
}

bool table_field(void *handle, const char *type, const char *name, struct field_place *place) {
    const struct jvm *jvm = handle;
    const struct {
        const char *type;
        const char *name;
        const void *address;
        uint64_t offset;
    } rows[] = {
        {"ThreadsSMRSupport", "_java_thread_list", &jvm->list_at, 0},
        {"ThreadsList", "_length", NULL, offsetof(struct list, length)},
        {"ThreadsList", "_threads", NULL, offsetof(struct list, threads)},
        {jvm->os_thread_of, "_osthread", NULL, offsetof(struct thread, os)},
        {"OSThread", "_thread_id", NULL, offsetof(struct os_thread, id)},
    };
    for (size_t i = 0; jvm->has_tables && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].type, type) == 0 && strcmp(rows[i].name, name) == 0) {
            *place = (struct field_place){rows[i].address, rows[i].offset};
            return true;
        }
    }
    return false;
}

static FILE *opened(char *text) {
    open_files++;
    return fmemopen(text, strlen(text), "r");
}

/* In stat, the value of each field but the 22nd is its number. */
static FILE *planted_fopen(const char *path, const char *mode) {
    static char text[256];
    int tid = 0;
    char file[8] = "";
    CHECK(mode[0] == 'r');
    if (strcmp(path, "/proc/self/maps") == 0) {
        return has_maps ? opened(maps) : NULL;
    }
    CHECK(sscanf(path, "/proc/self/task/%d/%7s", &tid, file) == 2);
    const struct jvm *jvm = tid >= FIRST_TID && tid < FIRST_TID + jvm_count ? &jvms[tid - FIRST_TID] : NULL;
    if (strcmp(file, "comm") == 0) {
        snprintf(text, sizeof text, "%s\n", jvm == NULL ? "java" : jvm->name);
    } else {
        CHECK(strcmp(file, "stat") == 0 && jvm != NULL);
        snprintf(text, sizeof text, "%d (%s) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 %llu 23 24 25\n", tid,
                jvm->name, jvm->ticks);
    }
    return opened(text);
}

static int planted_fclose(FILE *file) {
    open_files--;
    return fclose(file);
}

static int planted_dladdr1(const void *address, Dl_info *info, void **map, int flags) {
    CHECK(flags == RTLD_DL_LINKMAP);
    for (int i = 0; i < jvm_count; i++) {
        if ((uint64_t)(uintptr_t)address - jvms[i].start < LIBRARY_BYTES) {
            info->dli_fbase = (void *)(uintptr_t)jvms[i].start;
            *map = &jvms[i].map;
            return 1;
        }
    }
    return 0;
}

static int planted_dlinfo(void *map, int request, void *result) {
    CHECK(request == RTLD_DI_LMID);
    *(Lmid_t *)result = ((struct jvm *)(void *)((char *)map - offsetof(struct jvm, map)))->namespace;
    return 0;
}

static void *planted_dlmopen(Lmid_t namespace, const char *name, int mode) {
    struct jvm *in = &jvms[namespace];
    references++;
    if ((mode & RTLD_NOLOAD) == 0) {
        copy_beside = in;
        return &copy;
    }
    CHECK(strcmp(in->map.l_name, name) == 0);
    return in;
}

static int planted_dlclose(void *handle) {
    CHECK(handle != NULL);
    references--;
    return 0;
}

#endif
