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

static struct jvmtiInterface_1_ functions = {.GetMethodName = method_name, .GetMethodDeclaringClass = method_class,
    .GetClassSignature = class_signature, .Deallocate = deallocate};
static jvmtiEnv environment = &functions;

/* No test calls these functions. */
jobject event_to_java(JNIEnv *env, const struct event *event) {
    (void)env;
    (void)event;
    abort();
}

void event_free(JNIEnv *env, struct event *event) {
    (void)env;
    (void)event;
    abort();
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

int main(void) {
    RUN(eachInlinedMethodIsReportedOnce);
    RUN(aMethodWithoutARecordHasNoInlinedMethods);
    RUN(theRecordAfterOneOfAnotherKindIsRead);
    RUN(anUnknownMethodIsMissing);
    RUN(moreMethodsThanTheBoundAreMissing);
    RUN(invalidCountsAreNotBelieved);
    RUN(aChainOfRecordsThatDoesNotEndIsCut);
}
