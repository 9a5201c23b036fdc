/* The two users of the event for class files: which of them receives which file, and when the event is enabled. */
#include "../../main/c/class_files.c"

#include "check.h"

static int loads;
static int redefinitions;
static bool enabled;
static jint mode_error;
static int marker;

void class_starts_deliver(JNIEnv *env, jobject loader, const char *name) {
    (void)env;
    CHECK(loader == (jobject)&marker && name[0] == 'x');
    loads++;
}

static void redefine(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jint length, const unsigned char *file,
        jint *new_length, unsigned char **new_file) {
    (void)jvmti;
    (void)env;
    (void)new_file;
    CHECK(class == (jclass)&marker && length == 5 && file[0] == 'c' && *new_length == 7);
    redefinitions++;
}

static jvmtiError JNICALL notify(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...) {
    (void)jvmti;
    CHECK(event == JVMTI_EVENT_CLASS_FILE_LOAD_HOOK && thread == NULL);
    enabled = mode_error == 0 ? mode == JVMTI_ENABLE : enabled;
    return (jvmtiError)mode_error;
}

static struct jvmtiInterface_1_ functions = {.SetEventNotificationMode = notify};
static jvmtiEnv jvmti = &functions;

static void report(jclass redefined) {
    jvmtiEventCallbacks callbacks = {0};
    jint new_length = 7;
    unsigned char *new_file = NULL;
    class_files_add_callbacks(&callbacks);
    callbacks.ClassFileLoadHook(&jvmti, NULL, redefined, (jobject)&marker, "x", NULL, 5,
            (const unsigned char *)"class", &new_length, &new_file);
    CHECK(new_length == 7 && new_file == NULL);
}

static void aRedefinitionIsNoLoad(void) {
    CHECK(class_files_report_loads(&jvmti, true) == 0 && enabled);
    report((jclass)&marker);
    CHECK(redefinitions == 0 && loads == 0);
    CHECK(class_files_pass_redefinitions(&jvmti, redefine) == 0 && enabled);
    report((jclass)&marker);
    CHECK(redefinitions == 1 && loads == 0);
    report(NULL);
    CHECK(redefinitions == 1 && loads == 1);
}

static void theEventStaysEnabledForTheOtherUse(void) {
    CHECK(class_files_report_loads(&jvmti, false) == 0 && enabled);
    report(NULL);
    CHECK(loads == 1);
    CHECK(class_files_pass_redefinitions(&jvmti, NULL) == 0 && !enabled);
}

static void aUseThatTheJvmRefusesHasNotBegun(void) {
    mode_error = JVMTI_ERROR_INTERNAL;
    CHECK(class_files_report_loads(&jvmti, true) == JVMTI_ERROR_INTERNAL && !enabled);
    mode_error = 0;
    CHECK(class_files_pass_redefinitions(&jvmti, redefine) == 0 && enabled);
    report(NULL);
    CHECK(loads == 1);
    CHECK(class_files_pass_redefinitions(&jvmti, NULL) == 0 && !enabled);
}

int main(void) {
    RUN(aRedefinitionIsNoLoad);
    RUN(theEventStaysEnabledForTheOtherUse);
    RUN(aUseThatTheJvmRefusesHasNotBegun);
}
