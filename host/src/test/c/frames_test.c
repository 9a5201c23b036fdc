/* The frames of a backtrace, whose form differs between JVMs. */
#include "../../main/c/frames.c"

#include "check.h"

#include <string.h>

/* ---- Doubles: objects with elements; a kind is the name of the class ---- */

struct object {
    const char *kind;
    int length;
    struct object *elements[80];
    jint numbers[80];
};

static struct object classes[80];
static struct object throwable = {.kind = "java/lang/Throwable"};
static struct object *backtrace;
static struct object made[8];
static int made_count;

static struct object *make(const char *kind, int length) {
    static struct object all[256];
    static int count;
    CHECK(count < 256);
    struct object *one = &all[count++];
    *one = (struct object){.kind = kind, .length = length};
    return one;
}

static jint JNICALL push(JNIEnv *env, jint count) { (void)env; (void)count; return 0; }
static jobject JNICALL pop(JNIEnv *env, jobject result) { (void)env; return result; }
static void JNICALL clear(JNIEnv *env) { (void)env; }
static void JNICALL delete_local(JNIEnv *env, jobject reference) { (void)env; (void)reference; }

static jfieldID JNICALL field(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    (void)class;
    (void)type;
    return (jfieldID)(uintptr_t)name;
}

static jobject JNICALL get_object(JNIEnv *env, jobject object, jfieldID of) {
    (void)env;
    (void)of;
    CHECK((void *)object == &throwable);
    return (jobject)backtrace;
}

static jobjectArray make_array(const char *kind, jsize length) {
    CHECK(made_count < 8);
    made[made_count] = (struct object){.kind = kind, .length = length};
    return (jobjectArray)&made[made_count++];
}

static jobjectArray JNICALL new_objects(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    return make_array("[Ljava/lang/Object;", length);
}

static jintArray JNICALL new_ints(JNIEnv *env, jsize length) {
    (void)env;
    return (jintArray)make_array("[I", length);
}

static jsize JNICALL length_of(JNIEnv *env, jarray array) {
    (void)env;
    return ((struct object *)array)->length;
}

static jobject JNICALL element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    CHECK(at < ((struct object *)array)->length);
    return (jobject)((struct object *)array)->elements[at];
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    CHECK(at < ((struct object *)array)->length);
    ((struct object *)array)->elements[at] = (struct object *)value;
}

static jboolean JNICALL is_instance(JNIEnv *env, jobject object, jclass class) {
    (void)env;
    (void)class;
    return strcmp(((struct object *)object)->kind, "java/lang/Class") == 0;
}

static void JNICALL get_shorts(JNIEnv *env, jshortArray array, jsize from, jsize count, jshort *to) {
    (void)env;
    CHECK(from == 0 && count <= ((struct object *)array)->length);
    for (jsize i = 0; i < count; i++) {
        to[i] = (jshort)((struct object *)array)->numbers[i];
    }
}

static void JNICALL get_ints(JNIEnv *env, jintArray array, jsize from, jsize count, jint *to) {
    (void)env;
    CHECK(from == 0 && count <= ((struct object *)array)->length);
    memcpy(to, ((struct object *)array)->numbers, (size_t)count * sizeof *to);
}

static void JNICALL set_ints(JNIEnv *env, jintArray array, jsize from, jsize count, const jint *values) {
    (void)env;
    CHECK(from + count <= ((struct object *)array)->length);
    memcpy(((struct object *)array)->numbers + from, values, (size_t)count * sizeof *values);
}

static const struct JNINativeInterface_ functions = {
    .PushLocalFrame = push, .PopLocalFrame = pop, .ExceptionClear = clear, .DeleteLocalRef = delete_local,
    .GetFieldID = field, .GetObjectField = get_object, .NewObjectArray = new_objects, .NewIntArray = new_ints,
    .GetArrayLength = length_of, .GetObjectArrayElement = element, .SetObjectArrayElement = set_element,
    .IsInstanceOf = is_instance, .GetShortArrayRegion = get_shorts, .GetIntArrayRegion = get_ints,
    .SetIntArrayRegion = set_ints};
static JNIEnv env = &functions;

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    return (jclass)(uintptr_t)name;
}

bool class_is(JNIEnv *jni, jobject object, const char *name) {
    (void)jni;
    return object != NULL && strcmp(((struct object *)object)->kind, name) == 0;
}

/* Returns a chunk of frames from a number on, which refers to the next chunk. */
static struct object *chunk(int first, struct object *next) {
    struct object *one = make("[Ljava/lang/Object;", 6);
    one->elements[0] = make("[S", CHUNK_FRAMES);
    one->elements[1] = make("[I", CHUNK_FRAMES);
    one->elements[2] = make("[Ljava/lang/Object;", CHUNK_FRAMES);
    one->elements[3] = make("[J", CHUNK_FRAMES);
    one->elements[4] = next;
    for (int i = 0; i < CHUNK_FRAMES; i++) {
        classes[first + i] = (struct object){.kind = "java/lang/Class"};
        one->elements[0]->numbers[i] = 65000 + first + i;
        one->elements[1]->numbers[i] = (first + i) << 16 | 7;
        one->elements[2]->elements[i] = &classes[first + i];
    }
    return one;
}

static struct object *frames_of(int depth) {
    made_count = 0;
    return (struct object *)frames_of_throwable(&env, (jthrowable)&throwable, depth);
}

static void framesOfSeveralChunksAreCopiedInOrder(void) {
    backtrace = chunk(0, chunk(32, NULL));
    struct object *all = frames_of(40);
    CHECK(all != NULL && all->length == 3);
    for (int i = 0; i < 40; i++) {
        CHECK(all->elements[0]->elements[i] == &classes[i]);
        CHECK(all->elements[1]->numbers[i] == 65000 + i && all->elements[2]->numbers[i] >> 16 == i);
    }
}

static void theNextChunkMayBeTheLastElement(void) {
    backtrace = chunk(0, NULL);
    backtrace->elements[5] = chunk(32, NULL);
    CHECK(frames_of(33) != NULL);
}

static void aBacktraceWithFewerFramesIsUnknown(void) {
    backtrace = chunk(0, NULL);
    CHECK(frames_of(32) != NULL && frames_of(33) == NULL);
    backtrace = NULL;
    CHECK(frames_of(1) == NULL);
}

static void aBacktraceOfAnotherFormIsUnknown(void) {
    for (int i = 0; i < 3; i++) {
        backtrace = chunk(0, NULL);
        backtrace->elements[i] = make("[J", CHUNK_FRAMES);
        CHECK(frames_of(5) == NULL);
        backtrace = chunk(0, NULL);
        backtrace->elements[i]->length = 4;
        CHECK(frames_of(5) == NULL && frames_of(4) != NULL);
    }
    backtrace = chunk(0, NULL);
    backtrace->elements[2]->elements[3] = make("java/lang/Object", 0);
    CHECK(frames_of(5) == NULL);
    backtrace->elements[2]->elements[3] = NULL;
    CHECK(frames_of(5) == NULL);
    backtrace = make("[J", 6);
    CHECK(frames_of(5) == NULL);
    backtrace = chunk(0, NULL);
    backtrace->length = 2;
    CHECK(frames_of(5) == NULL);
}

int main(void) {
    RUN(framesOfSeveralChunksAreCopiedInOrder);
    RUN(theNextChunkMayBeTheLastElement);
    RUN(aBacktraceWithFewerFramesIsUnknown);
    RUN(aBacktraceOfAnotherFormIsUnknown);
}
