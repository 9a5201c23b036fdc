/*
 * The code that the JVM has compiled, with its address and the methods that the compiler has inlined in it. The JVM
 * reports it on its own threads, and for each present method on request.
 */
#define _GNU_SOURCE
#include "compiled.h"
#include "classes.h"
#include "queue.h"

#include <jvmticmlr.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Upper bounds on the inlined methods that are reported, and on the records, frames and program counters read. */
enum { MAX_INLINED = 1024, MAX_RECORDS = 16, MAX_PROGRAM_COUNTERS = 1 << 20, MAX_DEPTH = 1 << 10 };
/* The size of the table of methods: a power of two, twice the methods. */
enum { INLINED_TABLE = 2 * MAX_INLINED };

static _Atomic uint32_t compiled_generator;     /* the thread that enumerates compiled methods */
/* Only for that thread: */
static struct event *compiled_generated;
static size_t compiled_bytes;                   /* their memory */
static bool compiled_inlined;                   /* with the methods that are inlined in each */
static bool compiled_whole;                     /* no method is missing */

/* Upper bound on the memory of the events of an enumeration. */
#define MAX_GENERATED_BYTES ((size_t)256 << 20)

/* The different methods that are inlined in one method. */
struct inlined {
    jmethodID methods[INLINED_TABLE];
    int count;
    bool whole;             /* no method is missing */
};

static char *copy_text(const char *text) {
    return text == NULL ? NULL : strdup(text);
}

/*
 * Copies the class signature, the name and the descriptor of a method; the signature is NULL if the class has been
 * unloaded. Returns false if nothing is known of the method.
 */
static bool copy_method(jvmtiEnv *env, jmethodID method, char **to) {
    char *name = NULL;
    char *descriptor = NULL;
    char *signature = NULL;
    jclass declaring = NULL;
    if ((*env)->GetMethodName(env, method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE) {
        return false;
    }
    if ((*env)->GetMethodDeclaringClass(env, method, &declaring) == JVMTI_ERROR_NONE) {
        (*env)->GetClassSignature(env, declaring, &signature, NULL);
    }
    to[0] = copy_text(signature);
    to[1] = copy_text(name);
    to[2] = copy_text(descriptor);
    (*env)->Deallocate(env, (unsigned char *)signature);
    (*env)->Deallocate(env, (unsigned char *)name);
    (*env)->Deallocate(env, (unsigned char *)descriptor);
    return true;
}

static void inlined_add(struct inlined *all, jmethodID method) {
    size_t at = ((uintptr_t)method >> 3) % INLINED_TABLE;
    while (all->methods[at] != NULL && all->methods[at] != method) {
        at = (at + 1) % INLINED_TABLE;
    }
    if (all->methods[at] == NULL && all->count < MAX_INLINED) {
        all->methods[at] = method;
        all->count++;
    } else {
        all->whole = all->whole && all->methods[at] != NULL;
    }
}

/* Adds the methods at each program counter. The last frame of each is the compiled method itself. */
static void inlined_read(struct inlined *all, const jvmtiCompiledMethodLoadInlineRecord *record) {
    all->whole = all->whole && record->numpcs <= MAX_PROGRAM_COUNTERS;
    for (jint i = 0; i < record->numpcs && i < MAX_PROGRAM_COUNTERS; i++) {
        const PCStackInfo *pc = &record->pcinfo[i];
        all->whole = all->whole && pc->numstackframes <= MAX_DEPTH;
        for (jint frame = 0; frame + 1 < pc->numstackframes && frame < MAX_DEPTH; frame++) {
            if (pc->methods[frame] != NULL) {
                inlined_add(all, pc->methods[frame]);
            }
        }
    }
}

/*
 * Adds the texts of the inlined methods to the event. The JVM's records are those of jvmticmlr.h; another JVM may have
 * others.
 */
static void add_inlined(jvmtiEnv *env, struct event *event, const void *info) {
    struct inlined *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return;
    }
    const jvmtiCompiledMethodLoadRecordHeader *header = info;
    all->whole = true;
    for (int i = 0; i < MAX_RECORDS && header != NULL; i++, header = header->next) {
        if (header->kind == JVMTI_CMLR_INLINE_INFO && header->majorinfoversion == JVMTI_CMLR_MAJOR_VERSION_1) {
            inlined_read(all, (const jvmtiCompiledMethodLoadInlineRecord *)header);
        }
    }
    event->more = all->count == 0 ? NULL : calloc((size_t)all->count * 3, sizeof *event->more);
    all->whole = all->whole && (all->count == 0 || event->more != NULL);
    for (size_t i = 0; event->more != NULL && i < INLINED_TABLE; i++) {
        if (all->methods[i] != NULL && copy_method(env, all->methods[i], event->more + event->more_count)) {
            event->more_count += 3;
        } else if (all->methods[i] != NULL) {
            all->whole = false;
        }
    }
    event->numbers[4] = all->whole;
    free(all);
}

/* Keeps the event for the thread that enumerates, or frees it. */
static void generated_add(struct event *event) {
    size_t bytes = event == NULL ? 0 : event_bytes(event);
    compiled_whole = compiled_whole && event != NULL && bytes <= MAX_GENERATED_BYTES - compiled_bytes;
    if (compiled_whole) {
        event->next = compiled_generated;
        compiled_generated = event;
        compiled_bytes += bytes;
    } else if (event != NULL) {
        event_free(NULL, event);
    }
}

static void JNICALL on_compiled_method_load(jvmtiEnv *env, jmethodID method, jint size, const void *address,
                                            jint entries, const jvmtiAddrLocationMap *map, const void *info) {
    (void)entries;
    (void)map;
    bool generated = atomic_load(&compiled_generator) == (uint32_t)syscall(SYS_gettid);
    struct event *event = event_new(UPCALL_KIND_METHOD_COMPILED, (jlong)(intptr_t)address, size);
    if (event != NULL) {
        copy_method(env, method, event->text);
    }
    if (event != NULL && (compiled_inlined || !generated)) {
        add_inlined(env, event, info);
    }
    if (generated) {
        generated_add(event);
    } else {
        queue_add(NULL, event);
    }
}

static void JNICALL on_compiled_method_unload(jvmtiEnv *env, jmethodID method, const void *address) {
    (void)env;
    (void)method;
    queue_add(NULL, event_new(UPCALL_KIND_METHOD_UNLOADED, (jlong)(intptr_t)address, 0));
}

void compiled_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->CompiledMethodLoad = on_compiled_method_load;
    callbacks->CompiledMethodUnload = on_compiled_method_unload;
}

/*
 * Makes the JVM report the present methods, with or without those inlined in each, to the calling thread, which takes
 * them. Returns false if it does not, or another thread has not taken its own yet.
 */
bool compiled_generate(jvmtiEnv *environment, bool inlined) {
    jvmtiCapabilities held = {0};
    uint32_t no_thread = 0;
    bool mine = (*environment)->GetCapabilities(environment, &held) == JVMTI_ERROR_NONE
            && held.can_generate_compiled_method_load_events
            && atomic_compare_exchange_strong(&compiled_generator, &no_thread, (uint32_t)syscall(SYS_gettid));
    if (mine) {
        compiled_bytes = 0;
        compiled_inlined = inlined;
        compiled_whole = true;
        (*environment)->GenerateEvents(environment, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    }
    return mine;
}

/* Stores the object of an event in the array. Returns false, without an exception, if the program's heap is full. */
static bool store_event(JNIEnv *env, jobjectArray array, jsize at, const struct event *event) {
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jobject stored = event_to_java(env, event);
    (*env)->SetObjectArrayElement(env, array, at, stored);
    bool done = stored != NULL;
    (*env)->PopLocalFrame(env, NULL);
    return done;
}

static jobjectArray new_objects(JNIEnv *env, jsize count) {
    jclass object = class_find(env, "java/lang/Object");
    jobjectArray array = object == NULL ? NULL : (*env)->NewObjectArray(env, count, object, NULL);
    if (array == NULL) {
        (*env)->ExceptionClear(env);
    }
    return array;
}

/* Returns the memory of the methods that have been reported to the calling thread. */
size_t compiled_size(void) {
    return compiled_bytes;
}

/*
 * Returns the methods that have been reported to the calling thread as an Object[] of event objects; NULL, without an
 * exception, if one is missing, or the program's heap has no room for all. Frees the reports.
 */
jobjectArray compiled_take(JNIEnv *env, bool has_room) {
    struct event *first = compiled_generated;
    bool whole = compiled_whole;
    compiled_generated = NULL;
    atomic_store(&compiled_generator, 0);
    jsize count = 0;
    for (struct event *event = first; event != NULL; event = event->next) {
        count++;
    }
    jobjectArray result = whole && has_room ? new_objects(env, count) : NULL;
    for (jsize i = 0; first != NULL; i++) {
        struct event *next = first->next;
        result = result != NULL && store_event(env, result, i, first) ? result : NULL;
        event_free(env, first);
        first = next;
    }
    return result;
}
