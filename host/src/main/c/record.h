/* The host's record: its layout, and the functions that change it. */
#ifndef MAYFLY_RECORD_H
#define MAYFLY_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* A running callback: its thread, its kind and its start time. The slot is free if tid is 0. */
struct running {
    _Atomic uint32_t tid;
    _Atomic uint32_t kind;
    _Atomic uint64_t since;
};

/* Two pages of shared memory, readable from outside by any process with sufficient rights. */
struct record {
    char magic[RECORD_SIZE_MAGIC];
    _Atomic uint32_t sequence;
    uint32_t state;
    uint8_t request[RECORD_SIZE_REQUEST];
    uint64_t attached_at;
    uint64_t detach_at;
    uint64_t detach_expected;
    _Atomic int64_t callbacks;
    uint32_t jvmti;
    uint32_t remaining_classes;     /* the profiler's classes will stay loaded: this JVM never unloads classes */
    _Atomic uint64_t lost;          /* events dropped because the queue was full */
    _Atomic uint64_t thrown;        /* callbacks that threw */
    uint32_t runtime;               /* rank of this JVM in the process: r1 is 1 */
    _Atomic uint32_t collections;   /* requested to make room for a large request */
    uint64_t library;               /* start address of its libjvm */
    _Atomic uint64_t collecting;    /* the duration of the counted collections, ns */
    uint64_t code;                  /* start address of this library */
    uint32_t thread;                /* the host's thread, in the innermost pid namespace; 0: not started */
    _Atomic uint32_t stops_listener;    /* another host, which ended earlier, was to stop the attach listener */
    char channel[RECORD_SIZE_CHANNEL];
    char profiler[RECORD_SIZE_PROFILER];
    char pinned_by[RECORD_SIZE_PINNED_BY];
    uint8_t unused_last[2552];              /* memory_read uses it */
    _Atomic uint32_t unmarked_redefinitions;    /* by the host, and not recorded in the page of the anchor */
    _Atomic uint32_t replaced_frames;       /* that ran code replaced by a retransformation, when last counted */
    struct running running[HOST_RECORD_FILE_SLOTS]; /* further concurrent callbacks are counted but not named */
};

#include "wire_checks.h"

int record_find(void);
bool record_leave_listener(void);
bool record_refuse_listener(void);
int record_open(enum host_state state);
void record_begin(void);
void record_end(void);
void record_publish(enum host_state state, uint64_t detach_expected, const char *pinned_by);
void record_text(char *field, size_t size, const char *text);
void record_rank(uint32_t rank);
void record_thread(void);
void record_close(void);

#endif
