/* The search for running compilations, among the roots of a JVM that is a table of doubles. */
#include "../../main/c/compilations.c"

#include "check.h"

#include <string.h>

enum { MAX_ROOTS = 8, OTHER_OBJECT = 0, FIRST_LOADER = 1, PROFILERS_LOADER = 2, PROBES_LOADER = 3 };

static jlong tags[4];           /* of the objects */
static struct {
    jvmtiHeapReferenceKind kind;
    int to;
    bool from_object;
} references[MAX_ROOTS];
static int reference_count;
static int visited;
static bool has_jvmti, has_tags, has_frame;
static bool pending;
static int environments;
static jint version;
static int objects[4];

static void begin(jint jni_version) {
    memset(tags, 0, sizeof tags);
    reference_count = 0;
    has_jvmti = has_tags = has_frame = true;
    pending = false;
    version = jni_version;
}

static void refer(jvmtiHeapReferenceKind kind, int to, bool from_object) {
    references[reference_count].kind = kind;
    references[reference_count].to = to;
    references[reference_count++].from_object = from_object;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *added) {
    (void)jvmti;
    CHECK(added->can_tag_objects);
    return has_tags ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag) {
    (void)jvmti;
    tags[(int *)object - objects] = tag;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL follow(jvmtiEnv *jvmti, jint filter, jclass class, jobject from,
        const jvmtiHeapCallbacks *callbacks, const void *data) {
    (void)jvmti;
    CHECK(filter == 0 && class == NULL && from == NULL);
    bool over = false;
    for (visited = 0; visited < reference_count && !over; visited++) {
        jlong referrer = 0;
        jint result = callbacks->heap_reference_callback(references[visited].kind, NULL, 0, 0, 16,
                &tags[references[visited].to], references[visited].from_object ? &referrer : NULL, -1,
                (void *)(uintptr_t)data);
        CHECK(result == 0 || result == JVMTI_VISIT_ABORT);
        over = result == JVMTI_VISIT_ABORT;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti) {
    (void)jvmti;
    environments--;
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvmti_functions = {.AddCapabilities = add_capabilities, .SetTag = set_tag,
    .FollowReferences = follow, .DisposeEnvironment = dispose};
static jvmtiEnv environment = &jvmti_functions;

static jint JNICALL get_version(JNIEnv *env) {
    (void)env;
    return version;
}

static jint JNICALL push_frame(JNIEnv *env, jint capacity) {
    (void)env;
    CHECK(capacity > 0);
    pending = !has_frame;
    return has_frame ? 0 : JNI_ENOMEM;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result) {
    (void)env;
    return result;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env;
    (void)reference;
}

static const struct JNINativeInterface_ functions = {.GetVersion = get_version, .PushLocalFrame = push_frame,
    .PopLocalFrame = pop_frame, .ExceptionClear = clear, .DeleteLocalRef = delete_local};
static JNIEnv env = &functions;

jvmtiEnv *events_temporary(JNIEnv *jni) {
    (void)jni;
    environments += has_jvmti;
    return has_jvmti ? &environment : NULL;
}

jobject java_loader(JNIEnv *jni) {
    (void)jni;
    return (jobject)&objects[FIRST_LOADER];
}

jobject java_profilers_loader(JNIEnv *jni) {
    (void)jni;
    return (jobject)&objects[PROFILERS_LOADER];
}

jobject java_probes_loader(JNIEnv *jni) {
    (void)jni;
    return (jobject)&objects[PROBES_LOADER];
}

static bool finds(void) {
    bool found = compilations_retain(&env);
    CHECK(environments == 0 && !pending);
    return found;
}

static void aGlobalReferenceToALoaderIsACompilation(void) {
    static const jvmtiHeapReferenceKind kinds[] = {JVMTI_HEAP_REFERENCE_JNI_GLOBAL, JVMTI_HEAP_REFERENCE_OTHER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int to = OTHER_OBJECT; to <= PROBES_LOADER; to++) {
            begin(0x00130000);
            refer(JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, OTHER_OBJECT, false);
            refer(kinds[i], to, false);
            CHECK(finds() == (to != OTHER_OBJECT) && visited == 2);
        }
    }
}

static void noOtherReferenceToALoaderIsACompilation(void) {
    begin(0x00150000);
    refer(JVMTI_HEAP_REFERENCE_STACK_LOCAL, FIRST_LOADER, false);
    refer(JVMTI_HEAP_REFERENCE_JNI_LOCAL, PROFILERS_LOADER, false);
    refer(JVMTI_HEAP_REFERENCE_THREAD, PROFILERS_LOADER, false);
    refer(JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, FIRST_LOADER, false);
    CHECK(!finds() && visited == 4);
}

/* Only objects follow the first reference from an object. */
static void noObjectIsVisited(void) {
    begin(0x00150000);
    refer(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, OTHER_OBJECT, false);
    refer(JVMTI_HEAP_REFERENCE_FIELD, PROFILERS_LOADER, true);
    refer(JVMTI_HEAP_REFERENCE_FIELD, OTHER_OBJECT, true);
    CHECK(!finds() && visited == 2);
}

/* Otherwise the JVM would visit all objects to remove its marks. */
static void theSearchEndsAtARootOfAJvmThatMarksObjects(void) {
    begin(0x00120000);
    refer(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, OTHER_OBJECT, false);
    refer(JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, OTHER_OBJECT, false);
    refer(JVMTI_HEAP_REFERENCE_OTHER, OTHER_OBJECT, false);
    CHECK(!finds() && visited == 2);
    begin(0x00120000);
    refer(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, PROFILERS_LOADER, false);
    refer(JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, OTHER_OBJECT, false);
    CHECK(finds() && visited == 1);
}

static void withoutJvmtiOrTagsOrAFrameNothingIsFound(void) {
    bool *const needed[] = {&has_jvmti, &has_tags, &has_frame};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        begin(0x00150000);
        refer(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, PROFILERS_LOADER, false);
        *needed[i] = false;
        CHECK(!finds());
    }
}

int main(void) {
    RUN(aGlobalReferenceToALoaderIsACompilation);
    RUN(noOtherReferenceToALoaderIsACompilation);
    RUN(noObjectIsVisited);
    RUN(theSearchEndsAtARootOfAJvmThatMarksObjects);
    RUN(withoutJvmtiOrTagsOrAFrameNothingIsFound);
}
