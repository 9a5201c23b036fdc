/* Monitors: the kind of each call, and the monitors of callbacks. */
#include "../../main/c/monitors.c"

#include "check.h"

static bool is_inside;
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
    }
}

static void monitorsOfACallbackAreNotDelivered(void) {
    is_inside = true;
    delivered = 0;
    for (int i = 0; i < KINDS; i++) {
        call(i);
    }
    CHECK(delivered == 0);
}

int main(void) {
    RUN(eachEventIsDeliveredWithItsKindAndObject);
    RUN(monitorsOfACallbackAreNotDelivered);
}
