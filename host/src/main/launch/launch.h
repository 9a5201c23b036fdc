/*
 * The library on the command line of a JVM that starts with a profiler. The JVM never unloads it, so it is small. When
 * the JVM is initialised, before main runs, it acts as a trigger does from outside: it loads the host, sends it the
 * same message over the same channel, and waits for the same answer.
 */
#ifndef MAYFLY_LAUNCH_H
#define MAYFLY_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>
#include <jvmti.h>

#include "wire.h"

/* A launch file, docs/formats/launch-file.md. Its pointers point into bytes. */
struct launch {
    uint8_t *bytes;
    uint32_t flags;
    uint64_t limit;             /* upper bound on the profiler's initialisation, ns */
    uint32_t oldest;            /* the oldest Java version that can host a profiler, and the newest */
    uint32_t newest;
    const uint8_t *library;     /* the host library */
    uint32_t library_length;
    uint8_t *attach;            /* the payload of ATTACH */
    uint32_t attach_length;
};

uint32_t word(const uint8_t *at);
uint64_t now_boottime(void);

/* launch.c */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* launch_file.c */
bool launch_file_read(const char *path, struct launch *launch);

/* variable.c */
void variable_take_back(const char *library, const char *options);

/* trigger.c */
void trigger_run(JavaVM *vm, struct launch *launch);

#endif
