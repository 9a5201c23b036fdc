/* The events that wait for the host's thread: their order, their number, and the objects made of them. */
#include "../../main/c/queue.c"

#include "check.h"

#include <string.h>

static struct record shared;
static int released;            /* global references to classes */

/* ---- Doubles: a JVM in which one allocation fails ---- */

static int object;              /* stands for any object */
static int fails_at;            /* the number of the allocation that fails, from 1; 0 for none */
static int allocations;
static bool pending;
static jlong numbers[EVENT_NUMBERS];
static const char *texts[EVENT_TEXTS + 2];
static const char *more[2];     /* the elements of the array of further texts */
static bool fills_more;
static const char *last_text;

static jobject allocate(void) {
    pending = ++allocations == fails_at;
    return pending ? NULL : (jobject)&object;
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    fills_more = length == 2;
    CHECK(fills_more || length == 2 + EVENT_TEXTS);
    return allocate();
}

static jlongArray JNICALL new_numbers(JNIEnv *env, jsize length) {
    (void)env;
    CHECK(length == EVENT_NUMBERS);
    return allocate();
}

static jstring JNICALL new_text(JNIEnv *env, const char *text) {
    (void)env;
    last_text = text;
    return allocate();
}

static void JNICALL set_numbers(JNIEnv *env, jlongArray array, jsize from, jsize length, const jlong *values) {
    (void)env;
    (void)array;
    CHECK(from == 0 && length == EVENT_NUMBERS);
    memcpy(numbers, values, sizeof numbers);
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    (void)array;
    if (fills_more && at < 2) {
        more[at] = value == NULL ? NULL : last_text;
        return;
    }
    CHECK(at >= 0 && at <= 1 + EVENT_TEXTS && value != NULL);
    texts[at] = at == 0 ? "numbers" : last_text;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static void JNICALL release(JNIEnv *env, jobject reference) {
    (void)env;
    CHECK((void *)reference == &object);
    released++;
}

static void JNICALL release_local(JNIEnv *env, jobject reference) {
    (void)env;
    CHECK(reference == NULL || (void *)reference == &object);
}

static const struct JNINativeInterface_ functions = {
    .NewObjectArray = new_array, .NewLongArray = new_numbers, .NewStringUTF = new_text,
    .SetLongArrayRegion = set_numbers, .SetObjectArrayElement = set_element, .ExceptionClear = clear,
    .DeleteGlobalRef = release, .DeleteLocalRef = release_local};
static JNIEnv env = &functions;

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    return strcmp(name, "java/lang/Object") == 0 || strcmp(name, "java/lang/String") == 0 ? (jclass)&object : NULL;
}

/* ---- The queue ---- */

static void begin(void) {
    memset(&shared, 0, sizeof shared);
    host.record = &shared;
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    released = 0;
}

static void eventsAreTakenInTheirOrder(void) {
    begin();
    CHECK(!queue_is_waiting() && queue_take_all() == NULL);
    jlong first = event_next_sequence() + 1;
    for (jlong i = 0; i < 3; i++) {
        queue_add(&env, event_new(UPCALL_KIND_GC_STARTED, i, -i));
    }
    CHECK(queue_is_waiting() && event_next_sequence() == first + 3);
    struct event *event = queue_take_all();
    CHECK(!queue_is_waiting());
    for (jlong i = 0; i < 3; i++) {
        CHECK(event->kind == UPCALL_KIND_GC_STARTED && event->numbers[1] == i && event->numbers[2] == -i);
        CHECK(event->numbers[0] > 0 && event->numbers[3] == first + i);
        struct event *next = event->next;
        event_free(&env, event);
        event = next;
    }
    CHECK(event == NULL && shared.lost == 0);
}

static void anEventBeyondTheLimitIsLostAndReleased(void) {
    begin();
    for (int i = 0; i < MAX_QUEUED; i++) {
        queue_add(&env, event_new(UPCALL_KIND_GC_STARTED, 0, 0));
    }
    CHECK(shared.lost == 0);
    struct event *event = event_new(UPCALL_KIND_CLASS_LOADED, 0, 0);
    event->object = (jobject)&object;
    event->text[0] = strdup("released with the event");
    queue_add(&env, event);
    CHECK(shared.lost == 1 && released == 1);
    queue_clear(&env);
    CHECK(!queue_is_waiting() && released == 1);
    queue_add(&env, event_new(UPCALL_KIND_GC_STARTED, 0, 0));
    CHECK(queue_is_waiting() && shared.lost == 1);
    queue_clear(&env);
}

static struct event *large(size_t bytes) {
    struct event *event = event_new(UPCALL_KIND_METHOD_COMPILED, 0, 0);
    event->more = calloc(2, sizeof *event->more);
    event->more_count = 2;
    event->more[1] = calloc(1, bytes);
    memset(event->more[1], 'x', bytes - 1);
    return event;
}

static void anEventBeyondTheLimitOfMemoryIsLost(void) {
    begin();
    size_t without_text = sizeof(struct event) + 2 * sizeof(char *);
    struct event *small = event_new(UPCALL_KIND_GC_STARTED, 0, 0);
    small->text[2] = strdup("text");
    CHECK(event_bytes(small) == sizeof *small + sizeof "text");
    event_free(&env, small);
    for (int i = 0; i < 32; i++) {
        struct event *event = large((1 << 20) - without_text);
        CHECK(event_bytes(event) == 1 << 20);
        queue_add(&env, event);
    }
    CHECK(shared.lost == 0);
    queue_add(&env, event_new(UPCALL_KIND_GC_STARTED, 0, 0));
    queue_add(&env, large(1 << 10));
    CHECK(shared.lost == 2);
    queue_clear(&env);
    queue_add(&env, large(MAX_QUEUED_BYTES));
    CHECK(shared.lost == 3 && !queue_is_waiting());
    queue_add(&env, large(MAX_QUEUED_BYTES - without_text));
    CHECK(shared.lost == 3 && queue_is_waiting());
    queue_clear(&env);
}

static void anEventForWhichThereWasNoMemoryIsLost(void) {
    begin();
    queue_add(NULL, NULL);
    CHECK(shared.lost == 1 && !queue_is_waiting());
}

static void *await_event(void *unused) {
    pthread_mutex_lock(&host.lock);
    while (!queue_is_waiting()) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    return unused;
}

/* Without the wake-up, this program would not end. */
static void anEventWakesTheHostsThread(void) {
    pthread_t thread;
    begin();
    CHECK(pthread_create(&thread, NULL, await_event, NULL) == 0);
    queue_add(&env, event_new(UPCALL_KIND_GC_STARTED, 0, 0));
    CHECK(pthread_join(thread, NULL) == 0);
    queue_clear(&env);
}

/* ---- The objects ---- */

static struct event *compiled(void) {
    struct event *event = event_new(UPCALL_KIND_METHOD_COMPILED, 5, 6);
    event->text[0] = strdup("La;");
    event->text[1] = strdup("b");
    allocations = 0;
    memset(texts, 0, sizeof texts);
    return event;
}

static void anEventBecomesItsNumbersAndItsTexts(void) {
    struct event *event = compiled();
    fails_at = 0;
    CHECK(event_to_java(&env, event) == (jobject)&object);
    CHECK(numbers[1] == 5 && numbers[2] == 6 && numbers[3] == event->numbers[3]);
    CHECK(strcmp(texts[1], "La;") == 0 && strcmp(texts[2], "b") == 0 && texts[3] == NULL);
    event_free(&env, event);
}

static void anEventWithAClassBecomesItsNumbersAndTheClass(void) {
    struct event *event = event_new(UPCALL_KIND_CLASS_LOADED, 0, 0);
    event->object = (jobject)&object;
    memset(texts, 0, sizeof texts);
    last_text = "the class";
    fails_at = 0;
    CHECK(event_to_java(&env, event) == (jobject)&object && numbers[3] == event->numbers[3]);
    CHECK(strcmp(texts[1], "the class") == 0 && texts[2] == NULL);
    event_free(&env, event);
}

static struct event *with_further_texts(void) {
    struct event *event = compiled();
    event->more = calloc(2, sizeof *event->more);
    event->more[0] = strdup("Lc;");
    event->more_count = 2;
    fills_more = false;
    return event;
}

static void theFurtherTextsOfAnEventAreAnArray(void) {
    struct event *event = with_further_texts();
    fails_at = 0;
    CHECK(event_to_java(&env, event) == (jobject)&object && texts[1 + EVENT_TEXTS] != NULL);
    CHECK(strcmp(texts[2], "b") == 0 && strcmp(more[0], "Lc;") == 0 && more[1] == NULL);
    event_free(&env, event);
}

static void aLoaderAndATextAreOneObject(void) {
    struct event *event = event_new(UPCALL_KIND_CLASS_LOAD_STARTED, 0, 0);
    event->object = (jobject)&object;
    event->text[1] = strdup("p/A");
    memset(texts, 0, sizeof texts);
    fails_at = 0;
    fills_more = false;
    CHECK(event_to_java(&env, event) == (jobject)&object);
    CHECK(texts[1] != NULL && strcmp(texts[2], "p/A") == 0 && texts[3] == NULL);
    event_free(&env, event);
}

static void anEventForWhichTheHeapHasNoRoomIsNoObjectAndLeavesNoException(void) {
    struct event *event = compiled();
    for (fails_at = 1; fails_at <= 4; fails_at++) {
        allocations = 0;
        CHECK(event_to_java(&env, event) == NULL && allocations == fails_at && !pending);
    }
    event_free(&env, event);
    event = with_further_texts();
    for (fails_at = 5; fails_at <= 6; fails_at++) {
        allocations = 0;
        CHECK(event_to_java(&env, event) == NULL && allocations == fails_at && !pending);
    }
    event_free(&env, event);
}

int main(void) {
    RUN(eventsAreTakenInTheirOrder);
    RUN(anEventBeyondTheLimitIsLostAndReleased);
    RUN(anEventBeyondTheLimitOfMemoryIsLost);
    RUN(anEventForWhichThereWasNoMemoryIsLost);
    RUN(anEventWakesTheHostsThread);
    RUN(anEventBecomesItsNumbersAndItsTexts);
    RUN(anEventWithAClassBecomesItsNumbersAndTheClass);
    RUN(theFurtherTextsOfAnEventAreAnArray);
    RUN(aLoaderAndATextAreOneObject);
    RUN(anEventForWhichTheHeapHasNoRoomIsNoObjectAndLeavesNoException);
}
