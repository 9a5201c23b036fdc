/* The native methods of mayfly.host.Vm: calls from the Java half into the library. */
#define _GNU_SOURCE
#include "natives.h"
#include "allocations.h"
#include "channel.h"
#include "class_graph.h"
#include "classes.h"
#include "command.h"
#include "compiled.h"
#include "events.h"
#include "exceptions.h"
#include "failures.h"
#include "flags.h"
#include "frames.h"
#include "heap_room.h"
#include "host.h"
#include "life.h"
#include "management.h"
#include "members.h"
#include "method_code.h"
#include "monitors.h"
#include "paths.h"
#include "polling.h"
#include "probes.h"
#include "queue.h"
#include "record.h"
#include "reference_counts.h"
#include "thread_cpu.h"
#include "threads.h"
#include "timer.h"

#include <stdlib.h>

/* The Java half makes rows, texts and maps from the answer to a command. */
enum { COPIES_OF_ANSWER = 4 };

static jboolean JNICALL vm_lasting_cost_accepted(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return host.lasting_cost_accepted;
}

static jboolean JNICALL vm_has_environment(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return events_have_environment();
}

static jboolean JNICALL vm_at_launch(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return host.at_launch;
}

static jint JNICALL vm_prepare_events(JNIEnv *env, jclass vm, jint mask) {
    (void)env;
    (void)vm;
    return events_prepare((uint32_t)mask);
}

static jint JNICALL vm_set_events(JNIEnv *env, jclass vm, jint mask, jint logged) {
    (void)env;
    (void)vm;
    return events_set((uint32_t)mask, (uint32_t)logged);
}

static void JNICALL vm_count_lost(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    atomic_fetch_add(&host.record->lost, 1);
}

static jint JNICALL vm_set_sampling_interval(JNIEnv *env, jclass vm, jint bytes) {
    (void)env;
    (void)vm;
    jvmtiEnv *jvmti = events_use();
    jint failed = allocations_set_interval(jvmti, bytes);
    if (jvmti != NULL) {
        events_release();
    }
    return failed;
}

static jint JNICALL vm_report_exceptions(JNIEnv *env, jclass vm, jboolean on) {
    (void)env;
    (void)vm;
    if (events_use() == NULL) {
        return JVMTI_ERROR_INVALID_ENVIRONMENT;
    }
    jint failed = exceptions_report(on);
    events_release();
    return failed;
}

static jobject JNICALL vm_monitor_owner(JNIEnv *env, jclass vm, jintArray outcome) {
    (void)vm;
    jint failed;
    jvmtiEnv *jvmti = events_use();
    jobject owner = monitors_owner(jvmti, env, &failed);
    if (jvmti != NULL) {
        events_release();
    }
    (*env)->SetIntArrayRegion(env, outcome, 0, 1, &failed);
    return owner;
}

static jlong JNICALL vm_object_size(JNIEnv *env, jclass vm, jobject object) {
    (void)env;
    (void)vm;
    jlong size = 0;
    jvmtiEnv *jvmti = events_use();
    if (jvmti != NULL) {
        (*jvmti)->GetObjectSize(jvmti, object, &size);
        events_release();
    }
    return size;
}

static void JNICALL vm_count_thrown(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    atomic_fetch_add(&host.record->thrown, 1);
}

static jboolean JNICALL vm_flag(JNIEnv *env, jclass vm, jstring name) {
    (void)vm;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    bool set = text != NULL && flag_is_set(text, false);
    if (text != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, text);
    }
    return set;
}

/* Called when the profiler has been initialised: events reach it from now on. */
static void JNICALL vm_activate(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    life_to(HOST_LIFE_ACTIVE);
}

static void JNICALL vm_begin_detach(JNIEnv *env, jclass vm, jlong expected_nanos) {
    (void)env;
    (void)vm;
    pthread_mutex_lock(&host.lock);
    life_detach_locked((uint64_t)expected_nanos);
    pthread_mutex_unlock(&host.lock);
}

static jlong JNICALL vm_next_sequence(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return event_next_sequence();
}

static jboolean JNICALL vm_emit(JNIEnv *env, jclass vm, jbyteArray bytes) {
    (void)vm;
    jsize length = (*env)->GetArrayLength(env, bytes);
    uint8_t *copy = malloc((size_t)length + 1);
    if (copy == NULL) {
        return JNI_FALSE;
    }
    (*env)->GetByteArrayRegion(env, bytes, 0, length, (jbyte *)copy);
    bool taken = channel_emit(copy, (size_t)length);
    free(copy);
    return taken;
}

static jobjectArray JNICALL vm_loaded_classes(JNIEnv *env, jclass vm) {
    (void)vm;
    jclass class = class_find(env, "java/lang/Class");
    jvmtiEnv *jvmti = class == NULL ? NULL : events_use();
    if (jvmti == NULL) {
        return NULL;
    }
    jclass *classes = NULL;
    jint count = 0;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        events_release();
        return NULL;
    }
    locals_reserve(env, count);
    jobjectArray result = (*env)->NewObjectArray(env, count, class, NULL);
    for (jint i = 0; i < count; i++) {
        jint status = 0;
        (*jvmti)->GetClassStatus(jvmti, classes[i], &status);
        if (result != NULL
                && (status & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY)) == JVMTI_CLASS_STATUS_PREPARED) {
            (*env)->SetObjectArrayElement(env, result, i, classes[i]);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    events_release();
    return result;
}

static jlong JNICALL vm_thread_id(JNIEnv *env, jclass vm, jobject thread) {
    (void)vm;
    return thread_id(env, thread);
}

static jobjectArray JNICALL vm_live_threads(JNIEnv *env, jclass vm) {
    (void)vm;
    return threads_live(env);
}

static void JNICALL vm_look_after(JNIEnv *env, jclass vm, jlong nanos) {
    (void)env;
    (void)vm;
    timer_look_after((uint64_t)nanos);
}

static jlongArray JNICALL vm_os_threads(JNIEnv *env, jclass vm, jobjectArray threads) {
    (void)vm;
    return threads_os_ids(env, threads);
}

static jobjectArray JNICALL vm_present_classes(JNIEnv *env, jclass vm) {
    (void)vm;
    return class_graph_read(env);
}

static jobjectArray JNICALL vm_stacks(JNIEnv *env, jclass vm, jobjectArray threads) {
    (void)vm;
    return threads_stacks(env, threads);
}

static jobjectArray JNICALL vm_stack(JNIEnv *env, jclass vm, jobject thread) {
    (void)vm;
    return thread_stack(env, thread);
}

static jstring JNICALL vm_saved_property(JNIEnv *env, jclass vm, jstring name) {
    (void)vm;
    return saved_property(env, name);
}

static jint JNICALL vm_max_frames(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return (jint)flag_number("MaxJavaStackTraceDepth", 1024);
}

static jobjectArray JNICALL vm_compiled_methods(JNIEnv *env, jclass vm, jboolean inlined) {
    (void)vm;
    jvmtiEnv *jvmti = events_use();
    bool generated = jvmti != NULL && compiled_generate(jvmti, inlined);
    if (jvmti != NULL) {
        events_release();
    }
    bool has_room = generated && heap_make_room(env, compiled_size()) == FAILURE_NONE;
    return generated ? compiled_take(env, has_room) : NULL;
}

static jobjectArray JNICALL vm_classes_of(JNIEnv *env, jclass vm, jobjectArray frames) {
    (void)vm;
    return frames_classes(env, frames);
}

static jobjectArray JNICALL vm_backtrace(JNIEnv *env, jclass vm, jobject throwable, jint frames) {
    (void)vm;
    return frames_of_throwable(env, throwable, frames);
}

static jobjectArray JNICALL vm_members(JNIEnv *env, jclass vm, jclass class, jboolean fields, jint number) {
    (void)vm;
    return members_list(env, class, fields, number);
}

static jint JNICALL vm_method_number(JNIEnv *env, jclass vm, jclass class, jstring name) {
    (void)vm;
    return member_number(env, class, name);
}

static jint JNICALL vm_instance_size(JNIEnv *env, jclass vm, jclass class) {
    (void)vm;
    return members_instance_size(env, class);
}

static jbyteArray JNICALL vm_lines(JNIEnv *env, jclass vm, jclass class, jint number) {
    (void)vm;
    return method_lines(env, class, number);
}

static jbyteArray JNICALL vm_bytecodes(JNIEnv *env, jclass vm, jclass class, jstring name, jstring descriptor,
        jintArray outcome) {
    (void)vm;
    enum path_outcome how;
    jbyteArray bytecodes = method_bytecodes(env, class, name, descriptor, &how);
    jint number = how;
    (*env)->SetIntArrayRegion(env, outcome, 0, 1, &number);
    return bytecodes;
}

static jobjectArray JNICALL vm_interfaces(JNIEnv *env, jclass vm, jclass class) {
    (void)vm;
    return class_interfaces(env, class);
}

static jobject JNICALL vm_field_of(JNIEnv *env, jclass vm, jobject object, jstring declaring, jstring name,
        jstring descriptor) {
    (void)vm;
    return class_field(env, object, declaring, name, descriptor);
}

static jboolean JNICALL vm_collect(JNIEnv *env, jclass vm) {
    (void)vm;
    return events_collect_as_requested(env);
}

/* Returns the answer of a diagnostic command; NULL if the JVM gives none. */
static jbyteArray JNICALL vm_command(JNIEnv *env, jclass vm, jstring command, jint seconds) {
    (void)vm;
    char *answer = NULL;
    size_t length = 0;
    const char *text = (*env)->GetStringUTFChars(env, command, NULL);
    bool done = text != NULL && command_ask(text, seconds, &answer, &length) == COMMAND_DONE;
    if (text != NULL) {
        (*env)->ReleaseStringUTFChars(env, command, text);
    }
    done = done && heap_make_room(env, length * COPIES_OF_ANSWER) == FAILURE_NONE;
    jbyteArray bytes = done ? (*env)->NewByteArray(env, (jsize)length) : NULL;
    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)length, (const jbyte *)answer);
    }
    free(answer);
    return bytes;
}

/* Returns a class of the boot loader; NULL if it has none of that name, which has slashes. */
static jclass JNICALL vm_boot_class(JNIEnv *env, jclass vm, jstring name) {
    (void)vm;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    jclass class = text == NULL ? NULL : class_find(env, text);
    if (text != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, text);
    }
    return class;
}

static jobjectArray JNICALL vm_path(JNIEnv *env, jclass vm, jobject reference, jintArray outcome) {
    (void)vm;
    enum path_outcome how;
    jobjectArray path = path_to_loader(env, reference, &how);
    jint number = how;
    (*env)->SetIntArrayRegion(env, outcome, 0, 1, &number);
    return path;
}

static jobjectArray JNICALL vm_count_references(JNIEnv *env, jclass vm, jlong limit_nanos, jintArray outcome) {
    (void)vm;
    enum path_outcome how;
    jobjectArray counts = references_count(env, (uint64_t)limit_nanos, &how);
    jint number = how;
    (*env)->SetIntArrayRegion(env, outcome, 0, 1, &number);
    return counts;
}

static void JNICALL vm_set_timer(JNIEnv *env, jclass vm, jlong interval_nanos) {
    (void)env;
    (void)vm;
    timer_set((uint64_t)interval_nanos);
}

static jlongArray JNICALL vm_thread_numbers(JNIEnv *env, jclass vm, jobjectArray threads) {
    (void)vm;
    return threads_numbers(env, threads);
}

static void JNICALL vm_poll_every(JNIEnv *env, jclass vm, jlong interval_nanos) {
    (void)env;
    (void)vm;
    timer_poll_every((uint64_t)interval_nanos);
}

static void JNICALL vm_statuses(JNIEnv *env, jclass vm, jobjectArray threads, jlongArray numbers, jlongArray statuses) {
    (void)vm;
    threads_statuses(env, threads, numbers, statuses);
}

static jboolean JNICALL vm_counts_allocations(JNIEnv *env, jclass vm) {
    (void)vm;
    return management_is_known(env);
}

static jboolean JNICALL vm_allocated(JNIEnv *env, jclass vm, jlongArray numbers, jlongArray bytes) {
    (void)vm;
    return management_allocated(env, numbers, bytes);
}

static void JNICALL vm_monitors(JNIEnv *env, jclass vm, jobjectArray live, jobjectArray blocked, jlongArray numbers,
        jobjectArray found, jlongArray values) {
    (void)vm;
    polling_monitors(env, live, blocked, numbers, found, values);
}

static jint JNICALL vm_management_state(JNIEnv *env, jclass vm, jobjectArray live, jboolean may_load) {
    (void)vm;
    return (jint)management_state(env, live, may_load);
}

static jobjectArray JNICALL vm_dump_threads(JNIEnv *env, jclass vm, jlongArray numbers) {
    (void)vm;
    return management_dump(env, numbers);
}

static jobject JNICALL vm_probes(JNIEnv *env, jclass vm, jint call, jobject argument) {
    (void)vm;
    jvmtiEnv *jvmti = events_use();
    if (jvmti == NULL) {
        return NULL;
    }
    jobject result = probes_call(env, jvmti, (enum probe_call)call, argument);
    events_release();
    return result;
}

enum failure natives_register(JNIEnv *env, jclass vm) {
    const JNINativeMethod methods[] = {
        {"lastingCostAccepted0", "()Z", vm_lasting_cost_accepted},
        {"hasEnvironment0", "()Z", vm_has_environment},
        {"atLaunch", "()Z", vm_at_launch},
        {"prepareEvents0", "(I)I", vm_prepare_events},
        {"setEvents0", "(II)I", vm_set_events},
        {"setSamplingInterval0", "(I)I", vm_set_sampling_interval},
        {"reportExceptions0", "(Z)I", vm_report_exceptions},
        {"monitorOwner0", "([I)Ljava/lang/Thread;", vm_monitor_owner},
        {"objectSize", "(Ljava/lang/Object;)J", vm_object_size},
        {"nextSequence0", "()J", vm_next_sequence},
        {"countThrown", "()V", vm_count_thrown},
        {"countLost", "()V", vm_count_lost},
        {"flag0", "(Ljava/lang/String;)Z", vm_flag},
        {"activate", "()V", vm_activate},
        {"beginDetach0", "(J)V", vm_begin_detach},
        {"emit0", "([B)Z", vm_emit},
        {"loadedClasses0", "()[Ljava/lang/Class;", vm_loaded_classes},
        {"compiledMethods0", "(Z)[Ljava/lang/Object;", vm_compiled_methods},
        {"threadId0", "(Ljava/lang/Thread;)J", vm_thread_id},
        {"liveThreads0", "()[Ljava/lang/Thread;", vm_live_threads},
        {"lookAfter", "(J)V", vm_look_after},
        {"osThreads0", "([Ljava/lang/Thread;)[J", vm_os_threads},
        {"presentClasses0", "()[Ljava/lang/Object;", vm_present_classes},
        {"stacks0", "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;", vm_stacks},
        {"stack0", "(Ljava/lang/Thread;)[Ljava/lang/StackTraceElement;", vm_stack},
        {"maxFrames0", "()I", vm_max_frames},
        {"savedProperty", "(Ljava/lang/String;)Ljava/lang/String;", vm_saved_property},
        {"classesOf0", "([Ljava/lang/StackTraceElement;)[Ljava/lang/Class;", vm_classes_of},
        {"backtrace0", "(Ljava/lang/Throwable;I)[Ljava/lang/Object;", vm_backtrace},
        {"members0", "(Ljava/lang/Class;ZI)[Ljava/lang/Object;", vm_members},
        {"methodNumber0", "(Ljava/lang/Class;Ljava/lang/String;)I", vm_method_number},
        {"lines0", "(Ljava/lang/Class;I)[B", vm_lines},
        {"bytecodes0", "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;[I)[B", vm_bytecodes},
        {"instanceSize0", "(Ljava/lang/Class;)I", vm_instance_size},
        {"interfaces0", "(Ljava/lang/Class;)[Ljava/lang/Class;", vm_interfaces},
        {"fieldOf0", "(Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Ljava/lang/Object;",
            vm_field_of},
        {"path0", "(Ljava/lang/ref/WeakReference;[I)[Ljava/lang/Object;", vm_path},
        {"countReferences0", "(J[I)[Ljava/lang/Object;", vm_count_references},
        {"threadNumbers0", "([Ljava/lang/Thread;)[J", vm_thread_numbers},
        {"collect0", "()Z", vm_collect},
        {"setTimer0", "(J)V", vm_set_timer},
        {"pollEvery0", "(J)V", vm_poll_every},
        {"managementState0", "([Ljava/lang/Thread;Z)I", vm_management_state},
        {"dumpThreads0", "([J)[Ljava/lang/Object;", vm_dump_threads},
        {"statuses", "([Ljava/lang/Thread;[J[J)V", vm_statuses},
        {"countsAllocations0", "()Z", vm_counts_allocations},
        {"allocated", "([J[J)Z", vm_allocated},
        {"monitors", "([Ljava/lang/Thread;[Ljava/lang/Thread;[J[Ljava/lang/Object;[J)V", vm_monitors},
        {"command0", "(Ljava/lang/String;I)[B", vm_command},
        {"probes0", "(ILjava/lang/Object;)Ljava/lang/Object;", vm_probes},
        {"bootClass0", "(Ljava/lang/String;)Ljava/lang/Class;", vm_boot_class},
    };
    return (*env)->RegisterNatives(env, vm, methods, sizeof methods / sizeof methods[0]) == 0 ? FAILURE_NONE
            : failure_of_exception(env, FAILURE_NATIVES);
}
