/* Compiled methods: the methods that are inlined in them, from the JVM's records of its frames. */
#include "../../main/c/compiled.c"

#include "check.h"
#include "doubles.h"

#include <stdio.h>

/* ---- Doubles: the method with the id N is M.N, and that with an id below 0 is unknown ---- */

static int names;               /* names that have not been deallocated */

static char *name_of(const char *before, jmethodID method, const char *after) {
    char *name = malloc(32);
    snprintf(name, 32, "%s%ld%s", before, (long)(intptr_t)method, after);
    names++;
    return name;
}

static jvmtiError JNICALL method_name(jvmtiEnv *env, jmethodID method, char **name, char **descriptor, char **generic) {
    (void)env;
    CHECK(generic == NULL);
    if ((intptr_t)method < 0) {
        return JVMTI_ERROR_INVALID_METHODID;
    }
    *name = name_of("m", method, "");
    *descriptor = name_of("(L", method, ";)V");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_class(jvmtiEnv *env, jmethodID method, jclass *class) {
    (void)env;
    *class = (jclass)method;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *env, jclass class, char **signature, char **generic) {
    (void)env;
    CHECK(generic == NULL);
    *signature = name_of("LC", (jmethodID)class, ";");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory) {
    (void)env;
    names -= memory != NULL;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL capabilities(jvmtiEnv *env, jvmtiCapabilities *held) {
    (void)env;
    held->can_generate_compiled_method_load_events = 1;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL generate(jvmtiEnv *env, jvmtiEvent event);

static struct jvmtiInterface_1_ functions = {.GetMethodName = method_name, .GetMethodDeclaringClass = method_class,
    .GetClassSignature = class_signature, .Deallocate = deallocate, .GetCapabilities = capabilities,
    .GenerateEvents = generate};
static jvmtiEnv environment = &functions;

static size_t bytes_of_each = 100;
static int kept;                /* events that have not been freed */

size_t event_bytes(const struct event *event) {
    (void)event;
    return bytes_of_each;
}

void event_free(JNIEnv *env, struct event *event) {
    (void)env;
    struct event *last = queued;
    queued = event;
    queued_free();
    queued = last;
    kept--;
}

/* ---- Records ---- */

enum { DEPTH = 3 };

static jvmtiCompiledMethodLoadInlineRecord record_of(PCStackInfo *pcs, jint count) {
    return (jvmtiCompiledMethodLoadInlineRecord){
        .header = {.kind = JVMTI_CMLR_INLINE_INFO, .majorinfoversion = JVMTI_CMLR_MAJOR_VERSION_1},
        .numpcs = count, .pcinfo = pcs};
}

static void compile(const void *info) {
    jvmtiEventCallbacks callbacks = {0};
    compiled_add_callbacks(&callbacks);
    callbacks.CompiledMethodLoad(&environment, (jmethodID)100, 64, &environment, 0, NULL, info);
    CHECK(queued != NULL && queued->kind == UPCALL_KIND_METHOD_COMPILED && queued->numbers[2] == 64 && names == 0);
    CHECK(strcmp(queued->text[0], "LC100;") == 0 && strcmp(queued->text[1], "m100") == 0);
}

static bool has(const char *signature, const char *name, const char *descriptor) {
    for (int i = 0; i < queued->more_count; i += 3) {
        if (strcmp(queued->more[i], signature) == 0) {
            return strcmp(queued->more[i + 1], name) == 0 && strcmp(queued->more[i + 2], descriptor) == 0;
        }
    }
    return false;
}

static void eachInlinedMethodIsReportedOnce(void) {
    jmethodID first[DEPTH] = {(jmethodID)2, (jmethodID)1, (jmethodID)100};
    jmethodID second[DEPTH] = {(jmethodID)1, (jmethodID)1, (jmethodID)100};
    PCStackInfo pcs[] = {{.numstackframes = DEPTH, .methods = first}, {.numstackframes = DEPTH, .methods = second},
        {.numstackframes = 1, .methods = first + 2}};
    jvmtiCompiledMethodLoadInlineRecord record = record_of(pcs, 3);
    compile(&record);
    CHECK(queued->more_count == 6 && queued->numbers[4] == 1);
    CHECK(has("LC1;", "m1", "(L1;)V") && has("LC2;", "m2", "(L2;)V"));
    queued_free();
}

static void aMethodWithoutARecordHasNoInlinedMethods(void) {
    jvmtiCompiledMethodLoadInlineRecord other = record_of(NULL, 0);
    other.header.kind = JVMTI_CMLR_DUMMY;
    for (int i = 0; i < 2; i++) {
        compile(i == 0 ? NULL : &other);
        CHECK(queued->more == NULL && queued->more_count == 0 && queued->numbers[4] == 1);
        queued_free();
    }
}

static void theRecordAfterOneOfAnotherKindIsRead(void) {
    jmethodID frames[] = {(jmethodID)1, (jmethodID)100};
    PCStackInfo pcs[] = {{.numstackframes = 2, .methods = frames}};
    jvmtiCompiledMethodLoadInlineRecord last = record_of(pcs, 1);
    jvmtiCompiledMethodLoadInlineRecord first = record_of(NULL, 5);
    first.header.kind = JVMTI_CMLR_DUMMY;
    first.header.next = &last.header;
    compile(&first);
    CHECK(queued->more_count == 3 && has("LC1;", "m1", "(L1;)V"));
    queued_free();
}

static void anUnknownMethodIsMissing(void) {
    jmethodID frames[] = {(jmethodID)-8, (jmethodID)1, (jmethodID)100};
    PCStackInfo pcs[] = {{.numstackframes = DEPTH, .methods = frames}};
    jvmtiCompiledMethodLoadInlineRecord record = record_of(pcs, 1);
    compile(&record);
    CHECK(queued->more_count == 3 && queued->numbers[4] == 0 && has("LC1;", "m1", "(L1;)V"));
    queued_free();
}

static void moreMethodsThanTheBoundAreMissing(void) {
    static jmethodID frames[2 * MAX_INLINED + 1];
    static PCStackInfo pcs[2 * MAX_INLINED];
    for (int count = MAX_INLINED; count <= 2 * MAX_INLINED; count += MAX_INLINED / 2) {
        for (int i = 0; i < count; i++) {
            frames[i] = (jmethodID)(intptr_t)(8 * (i + 1));
            pcs[i] = (PCStackInfo){.numstackframes = 2, .methods = frames + i};
        }
        frames[count] = (jmethodID)100;
        jvmtiCompiledMethodLoadInlineRecord record = record_of(pcs, count);
        compile(&record);
        CHECK(queued->more_count == 3 * MAX_INLINED && queued->numbers[4] == (count == MAX_INLINED));
        queued_free();
    }
}

static void invalidCountsAreNotBelieved(void) {
    static jmethodID frames[MAX_DEPTH + 1];
    PCStackInfo pcs[] = {{.numstackframes = -1}, {.numstackframes = 0},
        {.numstackframes = 0x7fffffff, .methods = frames}};
    for (int i = 0; i < MAX_DEPTH; i++) {
        frames[i] = (jmethodID)8;
    }
    jvmtiCompiledMethodLoadInlineRecord record = record_of(pcs, 3);
    compile(&record);
    CHECK(queued->more_count == 3 && queued->numbers[4] == 0);
    queued_free();
    record = record_of(NULL, -1);
    compile(&record);
    CHECK(queued->more_count == 0);
    queued_free();
}

static void aChainOfRecordsThatDoesNotEndIsCut(void) {
    jvmtiCompiledMethodLoadInlineRecord record = record_of(NULL, 0);
    record.header.next = &record.header;
    compile(&record);
    CHECK(queued->more_count == 0);
    queued_free();
}

/* ---- An enumeration ---- */

static int present;             /* compiled methods that the JVM reports, each with one inlined */
static int converted;           /* events that have become objects */
static int inlined_methods;     /* of these events */
static int fails_at;            /* the number of the allocation in the heap that fails, from 1; 0 for none */
static int allocations;
static bool pending;
static bool has_room = true;
static int stored;

static jvmtiError JNICALL generate(jvmtiEnv *env, jvmtiEvent event) {
    CHECK(event == JVMTI_EVENT_COMPILED_METHOD_LOAD);
    jvmtiEventCallbacks callbacks = {0};
    compiled_add_callbacks(&callbacks);
    jmethodID frames[] = {(jmethodID)1, (jmethodID)100};
    PCStackInfo pcs[] = {{.numstackframes = 2, .methods = frames}};
    jvmtiCompiledMethodLoadInlineRecord record = record_of(pcs, 1);
    for (int i = 0; i < present; i++) {
        kept++;
        callbacks.CompiledMethodLoad(env, (jmethodID)100, 64, &environment, 0, NULL, &record);
    }
    return JVMTI_ERROR_NONE;
}

static jobject allocate(void) {
    pending = ++allocations == fails_at;
    return pending ? NULL : (jobject)&allocations;
}

jobject event_to_java(JNIEnv *env, const struct event *event) {
    (void)env;
    jobject object = allocate();
    pending = false;
    converted += object != NULL;
    inlined_methods += event->more_count / 3;
    return object;
}

jclass class_find(JNIEnv *env, const char *name) {
    (void)env;
    CHECK(strcmp(name, "java/lang/Object") == 0);
    return (jclass)&allocations;
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    CHECK(length == present);
    return allocate();
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    (void)array;
    CHECK(at >= 0 && at < present);
    stored += value != NULL;
}

static jint JNICALL push(JNIEnv *env, jint capacity) {
    (void)env;
    (void)capacity;
    return allocate() == NULL ? JNI_ENOMEM : 0;
}

static jobject JNICALL pop(JNIEnv *env, jobject result) {
    (void)env;
    return result;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static const struct JNINativeInterface_ jni_functions = {.NewObjectArray = new_array,
    .SetObjectArrayElement = set_element, .PushLocalFrame = push, .PopLocalFrame = pop, .ExceptionClear = clear};
static JNIEnv jni = &jni_functions;

static jobjectArray enumerate(int methods, bool inlined) {
    present = methods;
    converted = 0;
    inlined_methods = 0;
    allocations = 0;
    stored = 0;
    CHECK(compiled_generate(&environment, inlined));
    CHECK(!compiled_generate(&environment, inlined));
    CHECK(compiled_size() <= MAX_GENERATED_BYTES && compiled_size() % bytes_of_each == 0);
    jobjectArray result = compiled_take(&jni, has_room);
    CHECK(kept == 0 && !pending && queued == NULL);
    return result;
}

static void anEnumerationHasInlinedMethodsOnRequest(void) {
    CHECK(enumerate(3, true) != NULL && converted == 3 && stored == 3 && inlined_methods == 3);
    CHECK(enumerate(3, false) != NULL && converted == 3 && stored == 3 && inlined_methods == 0);
    CHECK(enumerate(0, false) != NULL && stored == 0);
}

static void anEnumerationForWhichTheHeapHasNoRoomIsRefused(void) {
    has_room = false;
    CHECK(enumerate(3, true) == NULL && allocations == 0 && compiled_size() == 300);
    has_room = true;
    for (fails_at = 1; fails_at <= 7; fails_at++) {
        CHECK(enumerate(3, true) == NULL && allocations == fails_at);
    }
    CHECK(enumerate(3, true) != NULL && allocations == 7);
    fails_at = 0;
}

static void anEnumerationBeyondTheLimitOfMemoryIsRefused(void) {
    bytes_of_each = MAX_GENERATED_BYTES / 4;
    CHECK(enumerate(4, true) != NULL);
    CHECK(enumerate(6, true) == NULL && allocations == 0);
    bytes_of_each = 100;
    CHECK(enumerate(6, true) != NULL);
}

int main(void) {
    RUN(eachInlinedMethodIsReportedOnce);
    RUN(aMethodWithoutARecordHasNoInlinedMethods);
    RUN(theRecordAfterOneOfAnotherKindIsRead);
    RUN(anUnknownMethodIsMissing);
    RUN(moreMethodsThanTheBoundAreMissing);
    RUN(invalidCountsAreNotBelieved);
    RUN(aChainOfRecordsThatDoesNotEndIsCut);
    RUN(anEnumerationHasInlinedMethodsOnRequest);
    RUN(anEnumerationForWhichTheHeapHasNoRoomIsRefused);
    RUN(anEnumerationBeyondTheLimitOfMemoryIsRefused);
}
