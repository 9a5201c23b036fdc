/*
 * The parts of a hosted profiler inside the target: a library that the JVM no longer lists; the host's thread, which
 * calls the profiler (worker.c); the channel's thread; and the record by which other processes find them.
 * docs/formats/host-channel.md specifies everything that crosses the process boundary.
 *
 * A single struct holds all state. It starts zeroed and is unmapped with the library.
 */
#ifndef MAYFLY_HOST_H
#define MAYFLY_HOST_H

#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

enum { EVENT_NUMBERS = 4, EVENT_TEXTS = 3 };

/* An event queued for the host's thread. */
struct event {
    struct event *next;
    enum upcall_kind kind;
    jlong numbers[EVENT_NUMBERS];   /* time (CLOCK_MONOTONIC, ns), then the values of this kind */
    char *text[EVENT_TEXTS];
    jclass class;                   /* a global reference, for a class loaded during a callback */
};

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
    uint32_t dormant;               /* the profiler's classes will stay loaded: this JVM never unloads classes */
    _Atomic uint64_t lost;          /* events dropped because the queue was full */
    _Atomic uint64_t thrown;        /* callbacks that threw */
    uint32_t runtime;               /* rank of this JVM in the process: r1 is 1 */
    _Atomic uint32_t collections;   /* requested to make room for a large request */
    uint64_t library;               /* start address of its libjvm */
    _Atomic uint64_t collecting;    /* the duration of the counted collections, ns */
    uint8_t unused_before[16];
    char channel[RECORD_SIZE_CHANNEL];
    char profiler[RECORD_SIZE_PROFILER];
    char pinned_by[RECORD_SIZE_PINNED_BY];
    uint8_t unused_last[2560];
    struct running running[HOST_RECORD_FILE_SLOTS]; /* further concurrent callbacks are counted but not named */
};

#include "wire_checks.h"

/* A part of a message on the channel. The holder owns the bytes. */
struct bytes {
    uint8_t *at;
    size_t length;
};

/* The reason for a failure in the host itself. */
enum failure {
    FAILURE_NONE,
    FAILURE_NO_MEMORY,          /* in the C library or in the program's heap */
    FAILURE_NO_ROOM,            /* the heap has free memory after a collection, but less than the request needs */
    FAILURE_NOT_COLLECTED,      /* less free memory than the request needs, and no collection was requested */
    FAILURE_MALFORMED_ATTACH,
    FAILURE_MALFORMED_REQUEST,
    FAILURE_NO_LOADER,          /* no class loader was created */
    FAILURE_CLASSES,            /* the first two classes were not defined or not instantiated */
    FAILURE_BOOTSTRAP,          /* the first class threw */
    FAILURE_JAVA_HALF,          /* the Java half returned a value that this library does not expect */
    FAILURE_NATIVES,            /* RegisterNatives failed */
    FAILURE_CALL,               /* a call to the Java half returned no answer */
    FAILURE_TOO_MANY,           /* too many requests are queued */
    FAILURES
};

struct answer {
    enum status status;
    const char *message;
};

/* A request from the channel to the host's thread. */
struct job {
    struct job *next;
    enum { JOB_ATTACH = 1, JOB_COMMAND = 2, JOB_DETACH = 3 } kind;
    int client;
    uint64_t serial;
    struct bytes payload;
};

/* The identity of a file while it is open. */
struct file {
    dev_t device;
    ino_t inode;
};

struct host {
    JavaVM *vm;
    void *self;                 /* the host's own reference to this library */
    uint8_t request[16];
    uint64_t deadline;
    bool stop_listener;
    bool listener_is_others;    /* the attach listener that loaded the host belongs to another JVM of the process */
    bool dormant_accepted;      /* the user accepted a JVM that cannot unload classes */
    bool dormant;               /* this JVM cannot unload classes */
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
    _Atomic enum host_life life;    /* only life.c assigns it */
    bool was_active;            /* the profiler has been initialised; only life.c assigns it */
    bool unseen;                /* the profiler has been unloaded and no client was waiting for that */
    bool collect;               /* the host may stop the program to collect and to search for retainers */
};

extern struct host host;

uint64_t now_boottime(void);
uint64_t now_monotonic(void);

/* record.c */
int record_find(void);
int record_open(void);
void record_begin(void);
void record_end(void);
void record_life(enum host_state state, uint64_t detach_expected);
void record_text(char *field, size_t size, const char *text);
void record_pinned(const char *pinned_by);
void record_not_pinned(void);
void record_runtime(uint32_t rank, uint64_t library);
void record_close(void);
bool memory_read(const void *from, void *to, size_t size);

/* life.c */
bool life_to(enum host_life next);
bool life_to_locked(enum host_life next);
bool life_detach_locked(enum host_life next, uint64_t expected_nanos);
bool life_is(enum host_life state);
bool life_admits_callbacks(void);
bool life_has_environment(void);

/* channel.c */
int channel_open(const char *path);
int channel_open_apart(void);
void channel_close_files(void);
void *channel_run(void *unused);
void channel_send(int client, uint64_t serial, enum message_type type, const struct bytes *parts, int count);
void channel_result(int client, uint64_t serial, uint32_t status, const char *message);
bool channel_emit(const uint8_t *at, size_t length);
bool channel_gone(uint64_t nanos, uint32_t collections);
void channel_wake(void);

/* callbacks.c */
int callbacks_open(void);
void callbacks_close(void);
bool callback_is_inside(void);
bool callback_enter(enum upcall_kind kind, int *slot);
void callback_leave(int slot);
int callback_show(enum upcall_kind kind);
void callback_hide(int slot);

/* java.c */
jobject java_start(JNIEnv *env, struct job *attach, enum failure *failure);
bool java_is_started(void);
bool java_takes_commands(JNIEnv *env);
jobject java_ask(JNIEnv *env, enum upcall_kind kind, jobject argument);
void java_tell(JNIEnv *env, enum upcall_kind kind, jobject argument);
void java_drop(JNIEnv *env);
bool java_is_gone(JNIEnv *env);
jobject java_loader(JNIEnv *env);
void java_forget(JNIEnv *env);

/* heap_room.c */
enum failure heap_make_room(JNIEnv *env, size_t bytes);

/* failures.c */
struct answer failure_answer(enum failure failure);

/* classes.c */
jclass class_find(JNIEnv *env, const char *name);
bool class_is(JNIEnv *env, jobject object, const char *name);
void locals_reserve(JNIEnv *env, jint count);

/* threads.c */
jlong thread_id(JNIEnv *env, jobject thread);
jobjectArray threads_live(JNIEnv *env);
jobjectArray threads_stacks(JNIEnv *env, jobjectArray threads);
jobjectArray thread_stack(JNIEnv *env, jobject thread);
jstring saved_property(JNIEnv *env, jstring name);

/* natives.c */
bool natives_register(JNIEnv *env, jclass vm);

/* events.c */
jint events_prepare(uint32_t mask);
jint events_set(uint32_t mask);
void events_stop(void);
void events_close(JNIEnv *env);
bool events_are_gone(void);
bool events_collect(JNIEnv *env);
jvmtiEnv *events_use(void);
void events_release(void);
jvmtiEnv *events_temporary(JNIEnv *env);
jobjectArray events_compiled(JNIEnv *env);

/* queue.c */
struct event *event_new(enum upcall_kind kind, jlong second, jlong third);
void event_free(JNIEnv *env, struct event *event);
jobject event_to_java(JNIEnv *env, const struct event *event);
void queue_add(JNIEnv *env, struct event *event);
bool queue_is_waiting(void);
void queue_deliver(JNIEnv *env);
void queue_clear(JNIEnv *env);

/* suspensions.c */
bool suspensions_set(bool on);
bool suspensions_end(void);
int suspensions_fd(void);
void suspensions_read(void);

/* command.c */
/* The outcome of a command: not sent to the JVM, sent but not answered, refused, executed. */
enum outcome { NOT_SENT, UNANSWERED, REFUSED, DONE };
enum outcome jvm_command(const char *command);
bool listener_is_others(void);

/* references.c */
bool references_find(JNIEnv *env, char *text, size_t size, bool at_any_cost, uint64_t *pause);

/* retainers.c */
bool retainers_find(JNIEnv *env, char *text, size_t size, bool also_virtual);

/* worker.c */
enum work { HOST_A_PROFILER, STOP_LISTENER, AWAIT_CLOSE };
void *worker_run(void *work);

/* runtimes.c */
void *runtime_library(void);
bool runtime_has(const void *function);
bool runtime_has_company(void);
bool runtime_is_at(JavaVM *vm, uint64_t library);
jint runtime_forward(uint64_t library, const char *options);
uint32_t runtime_rank(uint64_t *library);

/* log.c */
bool log_take(const struct bytes *named);
void log_gone(void);
void log_forget(void);

/* files.c */
bool file_of(int fd, struct file *file);
bool file_is(int fd, struct file file);
void file_close(int *fd, struct file file);

/* flags.c */
bool flag_is_set(const char *name, bool otherwise);
int32_t flag_number(const char *name, int32_t otherwise);
struct field_place {
    const void *address;
    uint64_t offset;
};
bool field_find(void *jvm, const char *type, const char *name, struct field_place *place);
const void *jvm_static(const char *type, const char *name);

/* listener.c */
void listener_stop(void);
bool listener_note_caller(void);
void listener_await_close(void);

#endif
