/*
 * The state and the CPU time of threads. The JDK's management would do the same, but its library would stay mapped. The
 * kernel's number of a thread is in the JVM's description of the thread, which the JVM frees when the thread ends: the
 * number counts only if the thread still refers to the same description afterwards.
 */
#define _GNU_SOURCE
#include "thread_cpu.h"
#include "classes.h"
#include "memory.h"
#include "runtimes.h"
#include "tables.h"
#include "threads.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

/* PID_MAX_LIMIT of the kernel. A larger number would become that of another clock. */
enum { MAX_TID = 1 << 22 };

enum { STATUSES_AT_ONCE = 64 };

struct thread_layout {
    uint64_t osthread;
    uint64_t id;
    bool known;
};

struct thread_fields {
    jfieldID native;        /* Thread.eetop, the address of the JVM's description */
    jfieldID status;        /* Thread.threadStatus, up to JDK 18 */
    jfieldID holder;        /* Thread.holder, since JDK 19 */
    jfieldID held_status;
};

static struct thread_layout layout_now(void) {
    struct field_place osthread;
    struct field_place id;
    void *jvm = runtime_library();
    bool known = jvm != NULL
            && (table_field(jvm, "JavaThread", "_osthread", &osthread)
                || table_field(jvm, "Thread", "_osthread", &osthread))
            && table_field(jvm, "OSThread", "_thread_id", &id);
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return known ? (struct thread_layout){osthread.offset, id.offset, true} : (struct thread_layout){0};
}

static jfieldID field_of(JNIEnv *env, jclass class, const char *name, const char *type) {
    jfieldID field = class == NULL ? NULL : (*env)->GetFieldID(env, class, name, type);
    (*env)->ExceptionClear(env);
    return field;
}

static struct thread_fields fields_now(JNIEnv *env) {
    jclass thread = class_find(env, "java/lang/Thread");
    jclass holder = class_find(env, "java/lang/Thread$FieldHolder");
    struct thread_fields fields = {.native = field_of(env, thread, "eetop", "J")};
    if (holder == NULL) {
        fields.status = field_of(env, thread, "threadStatus", "I");
    } else {
        fields.holder = field_of(env, thread, "holder", "Ljava/lang/Thread$FieldHolder;");
        fields.held_status = field_of(env, holder, "threadStatus", "I");
    }
    (*env)->DeleteLocalRef(env, holder);
    (*env)->DeleteLocalRef(env, thread);
    return fields;
}

/* Returns the status of a thread in bits of JVMTI's thread states; -1 if it cannot be read. */
static jlong status_of(JNIEnv *env, const struct thread_fields *in, jobject thread) {
    if (in->status != NULL) {
        return (*env)->GetIntField(env, thread, in->status);
    }
    bool has = in->holder != NULL && in->held_status != NULL;
    jobject holder = has ? (*env)->GetObjectField(env, thread, in->holder) : NULL;
    jlong status = holder == NULL ? -1 : (*env)->GetIntField(env, holder, in->held_status);
    (*env)->DeleteLocalRef(env, holder);
    return status;
}

/* The kernel's clock of a thread's CPU time (clock_getcpuclockid(3), posix-timers.h of the kernel). */
static clockid_t clock_of(int32_t tid) {
    enum { PER_THREAD = 4, SCHED = 2 };
    return (clockid_t)((~(uint32_t)tid << 3) | PER_THREAD | SCHED);
}

/* Returns the CPU time of a thread in ns; -1 if it has ended or cannot be read. */
static jlong cpu_of(JNIEnv *env, const struct thread_fields *in, const struct thread_layout *layout, jobject thread) {
    struct timespec used;
    uint64_t os;
    int32_t tid;
    if (in->native == NULL || !layout->known) {
        return -1;
    }
    jlong native = (*env)->GetLongField(env, thread, in->native);
    const void *osthread = (const void *)(uintptr_t)((uint64_t)native + layout->osthread);
    bool read = native != 0 && memory_read(osthread, &os, sizeof os) && os != 0
            && memory_read((const void *)(uintptr_t)(os + layout->id), &tid, sizeof tid) && tid > 0 && tid <= MAX_TID
            && clock_gettime(clock_of(tid), &used) == 0;
    bool same = (*env)->GetLongField(env, thread, in->native) == native;
    return read && same ? (jlong)used.tv_sec * 1000000000 + used.tv_nsec : -1;
}

/* Returns the status and the CPU time of each thread; NULL without memory, with the exception pending. */
jlongArray threads_numbers(JNIEnv *env, jobjectArray threads) {
    jsize count = (*env)->GetArrayLength(env, threads);
    jlongArray numbers = (*env)->NewLongArray(env, 2 * count);
    if (numbers == NULL) {
        return NULL;
    }
    const struct thread_layout layout = layout_now();
    const struct thread_fields fields = fields_now(env);
    for (jsize i = 0; i < count; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, threads, i);
        jlong pair[] = {status_of(env, &fields, thread), cpu_of(env, &fields, &layout, thread)};
        (*env)->SetLongArrayRegion(env, numbers, 2 * i, 2, pair);
        (*env)->DeleteLocalRef(env, thread);
    }
    return numbers;
}

/*
 * Reads the number and the status of each thread into two arrays of the same length; each is 0 and -1 if it cannot be
 * read. The JVM changes a thread's status when the thread blocks.
 */
void threads_statuses(JNIEnv *env, jobjectArray threads, jlongArray numbers, jlongArray statuses) {
    const struct thread_fields fields = fields_now(env);
    jsize count = (*env)->GetArrayLength(env, threads);
    for (jsize from = 0; from < count; from += STATUSES_AT_ONCE) {
        jlong number[STATUSES_AT_ONCE];
        jlong status[STATUSES_AT_ONCE];
        jsize some = count - from < STATUSES_AT_ONCE ? count - from : STATUSES_AT_ONCE;
        for (jsize i = 0; i < some; i++) {
            jobject thread = (*env)->GetObjectArrayElement(env, threads, from + i);
            number[i] = thread_id(env, thread);
            status[i] = status_of(env, &fields, thread);
            (*env)->DeleteLocalRef(env, thread);
        }
        (*env)->SetLongArrayRegion(env, numbers, from, some, number);
        (*env)->SetLongArrayRegion(env, statuses, from, some, status);
    }
}
