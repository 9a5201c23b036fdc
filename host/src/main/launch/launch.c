/*
 * The library that a JVM loads at its start to host a profiler. The JVM never unloads it, so it is small. When the JVM
 * is initialised, before main runs, the library acts as a trigger does from outside: it loads the host, sends it the
 * same message over the same channel, and waits for the same answer.
 *
 * This file is the entry point. The JVM calls Agent_OnLoad before it starts and reports its initialisation by the only
 * JVMTI event that this library enables. The environment for it stays, without events, as the anchor that every other
 * environment needs, and with the capability for exceptions if the profiler's manifest lists them (the host's events.c
 * explains that). On JDK 21 and later the environment slows virtual threads, so
 * there it is created only if the user accepted that cost.
 */
#define _GNU_SOURCE
#include "launch_file.h"
#include "say.h"
#include "trigger.h"
#include "variable.h"
#include "wire.h"
#include "../c/anchor.h"
#include "../c/bytes.h"
#include "../c/old-glibc.h"
#include "../c/tables.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of bits of a launch file for versions of Java, and the space for the text of all of them. */
enum { VERSIONS = 64, VERSIONS_TEXT = 4 * VERSIONS };

static JavaVM *launch_vm;
static struct launch launch_request;

/* Returns a reference to libjvm, which the caller closes; or NULL. */
static void *launch_open_jvm(void) {
    Dl_info info;
    return dladdr((const void *)(uintptr_t)(*launch_vm)->GetEnv, &info) == 0 ? NULL
            : dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

/*
 * Finds a class of the boot loader. FindClass would call the system class loader, which may be an object of the
 * program.
 */
static jclass launch_find_class(JNIEnv *env, const char *name) {
    void *jvm = launch_open_jvm();
    jclass (JNICALL *find)(JNIEnv *, const char *) = jvm == NULL ? NULL
            : (jclass (JNICALL *)(JNIEnv *, const char *))(uintptr_t)dlsym(jvm, "JVM_FindClassFromBootLoader");
    jclass class = find == NULL ? NULL : find(env, name);
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return class;
}

/*
 * Returns the version of the JVM from its tables; 0 if it is unknown. Before the JVM has started, neither JNI nor a
 * system property has the version.
 */
static jint jvm_version(void) {
    struct field_place major;
    void *jvm = launch_open_jvm();
    bool found = jvm != NULL && table_field(jvm, "Abstract_VM_Version", "_vm_major_version", &major)
            && major.address != NULL;
    jint version = found ? *(const int *)major.address : 0;
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return version;
}

/* The JNI versions that a JVM supports can be queried before it has started, even if its version is unknown. */
static bool has_lasting_cost(void) {
    void *jvm = launch_open_jvm();
    jint (*defaults)(void *) = jvm == NULL ? NULL : (jint (*)(void *))dlsym(jvm, "JNI_GetDefaultJavaVMInitArgs");
    JavaVMInitArgs arguments = {.version = LASTING_COST_SINCE_JNI};
    bool is = defaults == NULL || defaults(&arguments) == JNI_OK;
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return is;
}

/* The host finds the anchor by its page. */
static void leave_as_anchor(jvmtiEnv *jvmti) {
    struct anchor *page = anchor_page();
    if (page != NULL) {
        anchor_mark(page, jvmti);
    }
}

/* Writes the chosen versions of Java, such as 17, 25. */
static const char *versions_list(char text[VERSIONS_TEXT]) {
    size_t length = 0;
    text[0] = 0;
    for (int java = 0; java < VERSIONS; java++) {
        if ((launch_request.versions >> java & 1) != 0) {
            length += (size_t)snprintf(text + length, VERSIONS_TEXT - length, length == 0 ? "%d" : ", %d", java);
        }
    }
    return text;
}

/* Writes the oldest and the newest version, such as 17 to 26. */
static const char *versions_range(char text[VERSIONS_TEXT]) {
    int oldest = 0;
    int newest = 0;
    for (int java = 0; java < VERSIONS; java++) {
        bool is = (launch_request.versions >> java & 1) != 0;
        oldest = is && oldest == 0 ? java : oldest;
        newest = is ? java : newest;
    }
    snprintf(text, VERSIONS_TEXT, "%d to %d", oldest, newest);
    return text;
}

/* Returns true if the request is for a JVM of this version; otherwise reports the reason. */
static bool is_requested(jint java) {
    bool is = java > 0 && java < VERSIONS && (launch_request.versions >> java & 1) != 0;
    char versions[VERSIONS_TEXT];
    if (!is && (launch_request.flags & LAUNCH_FLAG_CHOSEN_VERSIONS) != 0) {
        launch_say("it was requested for Java %s, and this is Java %d", versions_list(versions), (int)java);
    } else if (!is) {
        launch_say("a profiler can be hosted by Java %s, not by Java %d", versions_range(versions), (int)java);
    }
    return is;
}

static bool is_hosting_java(JNIEnv *env) {
    jclass runtime = launch_find_class(env, "java/lang/Runtime");
    jclass type = launch_find_class(env, "java/lang/Runtime$Version");
    jmethodID version = runtime == NULL || type == NULL ? NULL
            : (*env)->GetStaticMethodID(env, runtime, "version", "()Ljava/lang/Runtime$Version;");
    jmethodID feature = version == NULL ? NULL : (*env)->GetMethodID(env, type, "feature", "()I");
    jint java = 0;
    if (feature != NULL) {
        jobject value = (*env)->CallStaticObjectMethod(env, runtime, version);
        java = (*env)->ExceptionCheck(env) || value == NULL ? 0 : (*env)->CallIntMethod(env, value, feature);
    }
    (*env)->ExceptionClear(env);
    return is_requested(java);
}

/*
 * Requests what the JVM offers only at its start. If it is not available, the profiler's subscription is refused later,
 * with the reason.
 */
static void request_capabilities(jvmtiEnv *jvmti) {
    jvmtiCapabilities wanted = {.can_generate_exception_events = 1};
    if ((launch_request.flags & LAUNCH_FLAG_EXCEPTIONS) != 0) {
        (*jvmti)->AddCapabilities(jvmti, &wanted);
    }
}

/* Runs on the thread that will run main, which waits for it. */
static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)thread;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventCallbacks(jvmti, NULL, 0);
    leave_as_anchor(jvmti);
    if ((*env)->PushLocalFrame(env, 16) == 0) {
        bool hosting = is_hosting_java(env);
        (*env)->PopLocalFrame(env, NULL);
        if (hosting) {
            trigger_run(launch_vm, &launch_request);
        }
    }
    free(launch_request.bytes);
    launch_request = (struct launch){0};
}

static void await_initialisation(void) {
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init};
    if ((*launch_vm)->GetEnv(launch_vm, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK
            || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE
            || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) != JVMTI_ERROR_NONE) {
        launch_say("it does not offer JVMTI");
        return;
    }
    request_capabilities(jvmti);
}

/* The JVM starts even if this fails. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    Dl_info self;
    if (options == NULL || options[0] == 0 || launch_vm != NULL) {
        launch_say(launch_vm != NULL ? "the library is named twice, and only its first option has an effect"
                : "the option of the library names no launch file");
        return JNI_OK;
    }
    launch_vm = vm;
    bool read = launch_file_read(options, &launch_request);
    if ((launch_request.flags & LAUNCH_FLAG_KEEP_VARIABLE) == 0
            && dladdr((const void *)(uintptr_t)&Agent_OnLoad, &self) != 0) {
        variable_take_back(self.dli_fname, options);
    }
    jint java = jvm_version();
    bool is_unwanted = read && java > 0 && !is_requested(java);
    if (read && java <= 0 && launch_request.versions >> LASTING_COST_SINCE == 0 && has_lasting_cost()) {
        char versions[VERSIONS_TEXT];
        launch_say("it was requested for Java %s, and this Java is newer", versions_list(versions));
        is_unwanted = true;
    }
    if (is_unwanted) {
        free(launch_request.bytes);
        return JNI_OK;
    }
    uint32_t flags = read ? bytes_word(launch_request.attach + ATTACH_OFFSET_FLAGS) : 0;
    if (read && (flags & ATTACH_FLAG_LASTING_COST) == 0 && has_lasting_cost()) {
        launch_say(
                "at launch it needs JVMTI, which on Java 21 and later slows virtual threads for the rest of the"
                " JVM's life; --accept-lasting-cost permits it");
        free(launch_request.bytes);
    } else if (read) {
        await_initialisation();
    }
    return JNI_OK;
}
