/*
 * Doubles for the files of the host that a test does not include. Every symbol is weak: the included file has
 * precedence. A function that no tested path reaches aborts the program.
 */
#define _GNU_SOURCE
#include "../../main/c/callbacks.h"
#include "../../main/c/channel.h"
#include "../../main/c/classes.h"
#include "../../main/c/command.h"
#include "../../main/c/flags.h"
#include "../../main/c/host.h"
#include "../../main/c/jobs.h"
#include "../../main/c/life.h"
#include "../../main/c/listener.h"
#include "../../main/c/queue.h"
#include "../../main/c/record.h"
#include "../../main/c/runtimes.h"
#include "../../main/c/timer.h"
#include "../../main/c/vmlog.h"
#include "../../main/c/wake.h"
#include "../../main/c/worker.h"
#include "doubles.h"

#pragma weak failure_answer
#pragma weak failure_of_exception
#include "../../main/c/failures.c"
#pragma weak file_of
#pragma weak file_is
#pragma weak file_close
#include "../../main/c/files.c"

#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

WEAK struct host host = {.record_fd = -1, .socket_fd = -1, .listen_fd = -1, .wake_fd = -1};
WEAK bool host_wait_until(uint64_t monotonic_nanos) { (void)monotonic_nanos; return false; }
struct event *queued;
int lost_events;

/* queue.c: keeps the last event for the test, and counts NULL events. */
WEAK jlong event_next_sequence(void) { abort(); }

WEAK struct event *event_new(enum upcall_kind kind, jlong second, jlong third) {
    struct event *event = calloc(1, sizeof *event);
    event->kind = kind;
    event->numbers[1] = second;
    event->numbers[2] = third;
    return event;
}

WEAK void queue_add(JNIEnv *env, struct event *event) {
    (void)env;
    queued_free();
    queued = event;
    lost_events += event == NULL;
}

void queued_free(void) {
    if (queued != NULL) {
        for (int i = 0; i < EVENT_TEXTS; i++) {
            free(queued->text[i]);
        }
        for (int i = 0; i < queued->more_count; i++) {
            free(queued->more[i]);
        }
        free(queued->more);
        free(queued);
        queued = NULL;
    }
}

/* vmlog.c and command.c */
WEAK int vmlog_fd(void) { return -1; }
WEAK void vmlog_read(void) { }
WEAK enum command_outcome command_run(const char *command) { (void)command; return COMMAND_DONE; }
WEAK enum command_outcome command_run_silent(const char *command, const char *remark) {
    (void)command;
    (void)remark;
    return COMMAND_DONE;
}

/* timer.c: off */
WEAK bool timer_is_due_locked(void) { return false; }
WEAK void timer_wait_locked(void) { pthread_cond_wait(&host.changed, &host.lock); }
WEAK bool timer_take(jlong *missed) { (void)missed; return false; }
WEAK bool timer_take_look(void) { return false; }
WEAK bool timer_take_poll(void) { return false; }
WEAK bool timer_take_log(void) { return false; }
WEAK void timer_log_after(uint64_t nanos) { (void)nanos; }

/* channel.c */
WEAK int channel_open(const char *path) { (void)path; abort(); }
WEAK int channel_open_apart(void) { abort(); }
WEAK void channel_close_files(void) { abort(); }
WEAK void *channel_run(void *unused) { (void)unused; abort(); }

/* wake.c */
WEAK int wake_open(void) { abort(); }
WEAK void wake_channel(void) { }
WEAK void wake_read(void) { abort(); }
WEAK void wake_close(void) { abort(); }

/* jobs.c */
WEAK enum failure job_add(enum message_type type, int client, uint64_t serial, struct bytes payload) {
    (void)type;
    (void)client;
    (void)serial;
    (void)payload;
    abort();
}

/* life.c, without its table */
WEAK bool life_to(enum host_life next) { host.life = next; return true; }
WEAK bool life_to_locked(enum host_life next) { host.life = next; return true; }
WEAK bool life_detach_locked(uint64_t expected_nanos) { (void)expected_nanos; return true; }
WEAK bool life_force_locked(void) { return true; }
WEAK enum host_state life_published(void) { abort(); }
WEAK bool life_has_environment(void) { return true; }
WEAK bool life_is(enum host_life state) { return host.life == state; }

WEAK bool class_is(JNIEnv *env, jobject object, const char *name) {
    (void)env;
    (void)object;
    (void)name;
    abort();
}

/* Called by agent.c after it has parsed the options. */
WEAK int record_find(void) { abort(); }
WEAK bool record_leave_listener(void) { return false; }
WEAK bool record_refuse_listener(void) { return false; }
WEAK void record_thread(void) {}
WEAK int record_open(enum host_state state) { (void)state; abort(); }
WEAK void record_close(void) { abort(); }
WEAK int callbacks_open(void) { abort(); }
WEAK void callbacks_close(void) { abort(); }
WEAK bool flag_is_set(const char *name, bool otherwise) { (void)name; return otherwise; }
WEAK jclass class_find(JNIEnv *env, const char *name) { (void)env; (void)name; abort(); }
WEAK bool listener_note_caller(void) { return false; }
WEAK void *worker_run(void *work) { (void)work; abort(); }
WEAK uint64_t runtime_address(JavaVM *vm) { (void)vm; abort(); }
WEAK bool runtime_is_at(JavaVM *vm, uint64_t library) { (void)vm; (void)library; abort(); }
WEAK bool runtime_has_company(void) { abort(); }
WEAK jint runtime_forward(uint64_t library, const char *options) { (void)library; (void)options; abort(); }
