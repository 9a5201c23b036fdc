/* The count of running callbacks, on which the rundown relies. */
#include "../../main/c/callbacks.c"

#include "check.h"

#include <string.h>

/* Double of life.c: records the count of callbacks at each read of the state. */
static bool admits;
static int64_t count_at_last_look;
static struct record shared;

bool life_admits_callbacks(void) {
    count_at_last_look = atomic_load(&shared.callbacks);
    return admits;
}

static void begin(void) {
    memset(&shared, 0, sizeof shared);
    host.record = &shared;
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    CHECK(callbacks_open() == 0);
}

/* If the count were increased after the read, the rundown could read zero in between and continue. */
static void aCallbackIsCountedBeforeTheStateIsRead(void) {
    int slot;
    begin();
    admits = true;
    CHECK(callback_enter(UPCALL_KIND_CLASS_LOADED, &slot) && count_at_last_look == 1);
    CHECK(callback_is_inside() && slot >= 0 && shared.running[slot].kind == UPCALL_KIND_CLASS_LOADED);
    callback_leave(slot);
    CHECK(!callback_is_inside() && shared.callbacks == 0 && shared.running[slot].tid == 0);
    callbacks_close();
}

static void aRefusedCallbackIsNotCounted(void) {
    int slot;
    begin();
    admits = false;
    CHECK(!callback_enter(UPCALL_KIND_CLASS_LOADED, &slot));
    CHECK(!callback_is_inside() && shared.callbacks == 0 && slot == -1);
    callbacks_close();
}

static void *await_no_callback(void *unused) {
    pthread_mutex_lock(&host.lock);
    while (atomic_load(&shared.callbacks) != 0) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    return unused;
}

/* Without the wake-up, this program would not end. */
static void theLastCallbackWakesTheRundown(void) {
    int slot;
    begin();
    admits = true;
    CHECK(callback_enter(UPCALL_KIND_CLASS_LOADED, &slot));
    admits = false;
    pthread_t rundown;
    CHECK(pthread_create(&rundown, NULL, await_no_callback, NULL) == 0);
    callback_leave(slot);
    CHECK(pthread_join(rundown, NULL) == 0);
    callbacks_close();
}

/* callback_show keeps the object that was set before. */
static void aCallbackIsAboutTheObjectThatWasSetBefore(void) {
    static int object;
    int slot;
    begin();
    admits = true;
    callback_about((jobject)&object);
    CHECK(callback_enter(UPCALL_KIND_CONTENTION_STARTED, &slot) && (void *)callback_object() == &object);
    callback_leave(slot);
    CHECK(!callback_is_inside() && callback_object() == NULL);
    CHECK(callback_enter(UPCALL_KIND_CLASS_LOADED, &slot) && callback_is_inside() && callback_object() == NULL);
    callback_leave(slot);
    callbacks_close();
}

int main(void) {
    RUN(aCallbackIsCountedBeforeTheStateIsRead);
    RUN(aRefusedCallbackIsNotCounted);
    RUN(theLastCallbackWakesTheRundown);
    RUN(aCallbackIsAboutTheObjectThatWasSetBefore);
}
