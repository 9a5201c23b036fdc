/* Monitors: the kind of each call, and the monitors of callbacks. */
#include "../../main/c/monitors.c"

#include "check.h"

static bool is_inside;
static jobject about;
static jobject about_in_callback;
static int delivered;
static enum upcall_kind delivered_kind;
static jobject delivered_object;

bool callback_is_inside(void) {
    return is_inside;
}

void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    (void)env;
    delivered++;
    delivered_kind = kind;
    delivered_object = argument;
    about_in_callback = about;
}

void callback_about(jobject object) {
    about = object;
}

jobject callback_object(void) {
    return about;
}

static int object;
static jvmtiEventCallbacks callbacks;

/* Calls each of the callbacks: contention, and waits that end by a notification and by their time-out. */
static void call(int which) {
    switch (which) {
        case 0: callbacks.MonitorContendedEnter(NULL, NULL, NULL, (jobject)&object); break;
        case 1: callbacks.MonitorContendedEntered(NULL, NULL, NULL, (jobject)&object); break;
        case 2: callbacks.MonitorWait(NULL, NULL, NULL, (jobject)&object, 10); break;
        case 3: callbacks.MonitorWaited(NULL, NULL, NULL, (jobject)&object, JNI_FALSE); break;
        default: callbacks.MonitorWaited(NULL, NULL, NULL, (jobject)&object, JNI_TRUE); break;
    }
}

static const enum upcall_kind kinds[] = {UPCALL_KIND_CONTENTION_STARTED, UPCALL_KIND_CONTENTION_FINISHED,
    UPCALL_KIND_WAIT_STARTED, UPCALL_KIND_WAIT_FINISHED, UPCALL_KIND_WAIT_TIMED_OUT};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void eachEventIsDeliveredWithItsKindAndObject(void) {
    monitors_add_callbacks(&callbacks);
    for (int i = 0; i < KINDS; i++) {
        delivered = 0;
        delivered_object = NULL;
        call(i);
        CHECK(delivered == 1 && delivered_kind == kinds[i] && (void *)delivered_object == &object);
        CHECK((void *)about_in_callback == &object && about == NULL);
    }
}

static void monitorsOfACallbackAreNotDelivered(void) {
    is_inside = true;
    delivered = 0;
    for (int i = 0; i < KINDS; i++) {
        call(i);
    }
    CHECK(delivered == 0 && about == NULL);
}

/* A JVM whose monitor has an owner and three threads that wait for it. */
static int threads[4];
static int freed;
static int released;
static jvmtiError usage_error;
static jthread waiters[2];
static jthread notified[1];

static jvmtiError JNICALL get_usage(jvmtiEnv *env, jobject of, jvmtiMonitorUsage *usage) {
    (void)env;
    CHECK((void *)of == &object);
    if (usage_error == JVMTI_ERROR_NONE) {
        waiters[0] = (jthread)&threads[1];
        waiters[1] = (jthread)&threads[2];
        notified[0] = (jthread)&threads[3];
        *usage = (jvmtiMonitorUsage){.owner = (jthread)&threads[0], .waiter_count = 2, .waiters = waiters,
            .notify_waiter_count = 1, .notify_waiters = notified};
    }
    return usage_error;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory) {
    (void)env;
    freed += memory == (unsigned char *)waiters || memory == (unsigned char *)notified;
    return JVMTI_ERROR_NONE;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env;
    CHECK((void *)reference != &threads[0]);
    released++;
}

static const struct JNINativeInterface_ jni_functions = {.DeleteLocalRef = delete_local};
static JNIEnv jni = &jni_functions;
static const struct jvmtiInterface_1_ jvmti_functions = {
    .GetObjectMonitorUsage = get_usage, .Deallocate = deallocate};
static jvmtiEnv jvmti = &jvmti_functions;

static void ownerIsThatOfTheMonitorOfTheCallback(void) {
    jint failed = 1;
    about = (jobject)&object;
    CHECK((void *)monitors_owner(&jvmti, &jni, &failed) == &threads[0] && failed == 0);
    CHECK(freed == 2 && released == 3);
    about = NULL;
}

static void ownerOutsideOfACallbackIsRefused(void) {
    jint failed = 0;
    CHECK(monitors_owner(&jvmti, &jni, &failed) == NULL && failed == NO_MONITOR);
}

static void errorOfTheJvmIsReturnedWithoutAnOwner(void) {
    jint failed = 0;
    about = (jobject)&object;
    usage_error = JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    CHECK(monitors_owner(&jvmti, &jni, &failed) == NULL && failed == JVMTI_ERROR_MUST_POSSESS_CAPABILITY);
    CHECK(monitors_owner(NULL, &jni, &failed) == NULL && failed == JVMTI_ERROR_INVALID_ENVIRONMENT);
    about = NULL;
}

int main(void) {
    RUN(eachEventIsDeliveredWithItsKindAndObject);
    RUN(monitorsOfACallbackAreNotDelivered);
    RUN(ownerIsThatOfTheMonitorOfTheCallback);
    RUN(ownerOutsideOfACallbackIsRefused);
    RUN(errorOfTheJvmIsReturnedWithoutAnOwner);
}
