/*
 * The parts of a hosted profiler inside the target: a library that the JVM no longer lists; the host's thread, which
 * calls the profiler (worker.c); the channel's thread; and the record by which other processes find them.
 * docs/formats/host-channel.md specifies everything that crosses the process boundary.
 *
 * A single struct holds the state that several files share. Its descriptors start at -1, all other fields at 0. It is
 * unmapped with the library. Each file has a header of its own; no file includes, even indirectly, a header of a file
 * that includes its own header.
 */
#ifndef MAYFLY_HOST_H
#define MAYFLY_HOST_H

#include <jni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "files.h"
#include "wire.h"

/*
 * Stack size of the host's threads. It equals that of the JVM's threads, so that the C library can reuse the stacks for
 * them.
 */
enum { HOST_STACK_BYTES = 1 << 20 };

struct job;
struct record;

struct host {
    JavaVM *vm;
    uint64_t library;           /* start address of the JVM's library */
    void *self;                 /* the host's own reference to this library */
    uint8_t request[16];
    uint64_t deadline;
    bool stop_listener;
    bool listener_is_others;    /* the attach listener that loaded the host belongs to another JVM of the process */
    bool remaining_classes_accepted;    /* the user accepted a JVM that cannot unload classes */
    bool remaining_classes;     /* this JVM cannot unload classes */
    bool never_collects;
    int record_fd;
    struct file record_file;
    struct record *record;
    char socket_path[108];      /* path at which the channel's socket was created; sized as sun_path */
    int socket_fd;              /* O_PATH descriptor of the channel's socket, which is unlinked; or -1 */
    struct file socket_file;
    uid_t opened_as;            /* the effective user when the channel was opened */
    int listen_fd;
    struct file listen_file;
    int wake_fd;                /* an eventfd that wakes the channel */
    struct file wake_file;
    pthread_t channel;
    pthread_mutex_t lock;       /* protects jobs, outputs, emitted bytes and changes of the life */
    pthread_cond_t changed;     /* a job arrived, the life changed, or an awaited counter became zero */
    struct job *first;
    struct job *last;
    int jobs;
    bool lease_ended;           /* the client that attached the profiler with a lease has disconnected */
    bool lasting_cost_accepted;
    bool at_launch;             /* the profiler was loaded at JVM startup, before the program began */
    _Atomic bool immutable;     /* an event is enabled that the profiler cannot unsubscribe from: no detach begins */
    _Atomic bool probed;        /* methods have probes, which the host's thread removes before a forced detach begins */
    _Atomic enum host_life life;    /* only life.c assigns it */
    bool was_active;            /* the profiler has been initialised; only life.c assigns it */
    bool unseen;                /* the profiler has been unloaded and no client was waiting for that */
    bool collect;               /* the host may stop the program to collect and to search for retainers */
};

extern struct host host;

bool host_wait_until(uint64_t monotonic_nanos);

#endif
