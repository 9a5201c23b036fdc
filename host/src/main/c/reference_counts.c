/*
 * Counts the references of the reachable objects by the class of the referring object, the class of the object referred
 * to, and the kind of the reference. One visit of the heap by JVMTI, which stops all threads; each loaded class has its
 * number as its tag meanwhile, and no other object has a tag.
 */
#define _GNU_SOURCE
#include "reference_counts.h"
#include "classes.h"
#include "events.h"
#include "heap_room.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* Upper bounds on the different rows and on the classes that have a number. */
enum { MAX_ROWS = 1 << 17, MAX_CLASSES = 1 << 20 };

/* The hash table is at most half full. */
enum { SLOTS = 2 * MAX_ROWS };

/* The clock is read after this many references. */
enum { CLOCK_EVERY = 4096 };

/* The numbers of a row in the result, and the bytes of the program's heap for one in the profiler's answer. */
enum { ROW_NUMBERS = 5, ROW_BYTES = 200 };

struct reference_row {
    jlong count;            /* 0: the slot is free */
    jlong bytes;
    jint from;              /* the number of the class; 0 for a root */
    jint to;
    jint kind;
};

struct reference_counts {
    struct reference_row *slots;
    jint rows;
    uint64_t limit;         /* ns of CPU time of the thread that stops the others */
    uint64_t began;
    uint64_t seen;
    bool late;
    bool full;
};

static bool count_is_late(struct reference_counts *in) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    uint64_t nanos = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    in->began = in->seen == 1 ? nanos : in->began;
    in->late = nanos - in->began > in->limit;
    return in->late;
}

/* Returns the row of a reference, which may be new; NULL if there are too many. */
static struct reference_row *count_row(struct reference_counts *in, jint from, jint to, jint kind) {
    uint64_t hash = ((uint64_t)(uint32_t)from << 32 ^ (uint64_t)(uint32_t)to << 5 ^ (uint64_t)kind)
            * 0x9e3779b97f4a7c15u;
    for (uint32_t slot = (uint32_t)(hash >> 40) % SLOTS;; slot = (slot + 1) % SLOTS) {
        struct reference_row *row = &in->slots[slot];
        if (row->count != 0 && (row->from != from || row->to != to || row->kind != kind)) {
            continue;
        }
        if (row->count == 0 && in->rows == MAX_ROWS) {
            return NULL;
        }
        in->rows += row->count == 0;
        row->from = from;
        row->to = to;
        row->kind = kind;
        return row;
    }
}

/* A class refers through its Class object, whose tag is the number of the class: its static fields are its own. */
static jint JNICALL on_counted_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
        jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length,
        void *data) {
    struct reference_counts *in = data;
    (void)info;
    (void)tag;
    (void)length;
    if (in->seen++ % CLOCK_EVERY == 0 && count_is_late(in)) {
        return JVMTI_VISIT_ABORT;
    }
    bool of_class = kind != JVMTI_HEAP_REFERENCE_FIELD && kind != JVMTI_HEAP_REFERENCE_CLASS
            && referrer_tag != NULL && *referrer_tag != 0;
    jlong from = referrer_tag == NULL ? 0 : of_class ? *referrer_tag : referrer_class_tag;
    struct reference_row *row = count_row(in, (jint)from, (jint)class_tag, (jint)kind);
    if (row == NULL) {
        in->full = true;
        return JVMTI_VISIT_ABORT;
    }
    row->count++;
    row->bytes += size;
    return JVMTI_VISIT_OBJECTS;
}

/*
 * Gives each loaded class its number, from 1, and keeps no reference to it, which would be counted. Returns how many
 * there are; -1 if JVMTI refuses.
 */
static jint number_classes(jvmtiEnv *jvmti, JNIEnv *env) {
    jint count = 0;
    jclass *classes = NULL;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        return -1;
    }
    locals_reserve(env, count);
    jint numbered = count < MAX_CLASSES ? count : MAX_CLASSES;
    for (jint i = 0; i < count; i++) {
        if (i < numbered) {
            (*jvmti)->SetTag(jvmti, classes[i], i + 1);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    return numbered;
}

/* Returns a Class[] in the order of the numbers, with null for an unloaded class; NULL if there is no memory. */
static jobjectArray numbered_classes(jvmtiEnv *jvmti, JNIEnv *env, jint numbered) {
    jint count = 0;
    jclass *classes = NULL;
    jclass class = class_find(env, "java/lang/Class");
    jobjectArray result = class == NULL ? NULL : (*env)->NewObjectArray(env, numbered, class, NULL);
    if (result == NULL || (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    locals_reserve(env, count);
    for (jint i = 0; i < count; i++) {
        jlong number = 0;
        if ((*jvmti)->GetTag(jvmti, classes[i], &number) == JVMTI_ERROR_NONE && number > 0 && number <= numbered) {
            (*env)->SetObjectArrayElement(env, result, (jsize)number - 1, classes[i]);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    return result;
}

/* Returns the five numbers of each row; NULL if there is no memory. */
static jlongArray rows_to_java(JNIEnv *env, const struct reference_counts *in) {
    bool fits = heap_make_room(env, (size_t)in->rows * ROW_BYTES) == FAILURE_NONE;
    jlongArray result = fits ? (*env)->NewLongArray(env, in->rows * ROW_NUMBERS) : NULL;
    jsize at = 0;
    for (uint32_t slot = 0; slot < SLOTS && result != NULL; slot++) {
        const struct reference_row *row = &in->slots[slot];
        if (row->count != 0) {
            jlong numbers[ROW_NUMBERS] = {row->from, row->to, row->kind, row->count, row->bytes};
            (*env)->SetLongArrayRegion(env, result, at, ROW_NUMBERS, numbers);
            at += ROW_NUMBERS;
        }
    }
    return result;
}

static jobjectArray count_in(jvmtiEnv *jvmti, JNIEnv *env, struct reference_counts *in, enum path_outcome *outcome) {
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_counted_reference};
    jint numbered = number_classes(jvmti, env);
    if (numbered < 0 || (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, in) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    if (in->late || in->full) {
        *outcome = in->late ? PATH_OUTCOME_TOO_LATE : PATH_OUTCOME_TOO_MANY;
        return NULL;
    }
    jlongArray rows = rows_to_java(env, in);
    jobjectArray classes = rows == NULL ? NULL : numbered_classes(jvmti, env, numbered);
    jclass object = classes == NULL ? NULL : class_find(env, "java/lang/Object");
    jobjectArray result = object == NULL ? NULL : (*env)->NewObjectArray(env, 2, object, NULL);
    if (result != NULL) {
        (*env)->SetObjectArrayElement(env, result, 0, classes);
        (*env)->SetObjectArrayElement(env, result, 1, rows);
    }
    return result;
}

/*
 * Returns an Object[] of a Class[] and a long[], which has for each row the numbers of the two classes, from 1 (0 for a
 * root, or a class that was loaded meanwhile), the kind, the number of references and the bytes. Returns NULL and the
 * outcome if the references cannot be counted. One thread at a time calls this.
 */
jobjectArray references_count(JNIEnv *env, uint64_t limit_nanos, enum path_outcome *outcome) {
    struct reference_counts in = {.limit = limit_nanos};
    const jvmtiCapabilities tags = {.can_tag_objects = 1};
    jobjectArray result = NULL;
    *outcome = PATH_OUTCOME_FAILED;
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    jvmtiEnv *jvmti = events_temporary(env);
    *outcome = jvmti == NULL ? PATH_OUTCOME_NOT_ACCEPTED : PATH_OUTCOME_FAILED;
    in.slots = jvmti == NULL ? NULL : calloc(SLOTS, sizeof *in.slots);
    if (in.slots != NULL && (*jvmti)->AddCapabilities(jvmti, &tags) == JVMTI_ERROR_NONE) {
        result = count_in(jvmti, env, &in, outcome);
    }
    if (jvmti != NULL) {
        (*jvmti)->DisposeEnvironment(jvmti);
    }
    free(in.slots);
    (*env)->ExceptionClear(env);
    *outcome = result != NULL ? PATH_OUTCOME_FOUND : *outcome;
    return (*env)->PopLocalFrame(env, result);
}
