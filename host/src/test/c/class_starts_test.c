/* The start of the load of a class: what is queued, and what is not. */
#include "../../main/c/class_starts.c"

#include "check.h"
#include "doubles.h"

static int loader;
static int references;

static jobject JNICALL new_reference(JNIEnv *env, jobject object) {
    (void)env;
    CHECK((void *)object == &loader);
    references++;
    return object;
}

static void JNICALL release(JNIEnv *env, jobject object) {
    (void)env;
    CHECK((void *)object == &loader);
}

static const struct JNINativeInterface_ functions = {.NewGlobalRef = new_reference, .DeleteGlobalRef = release};
static JNIEnv env = &functions;

/* Calls the callback. The JVM would replace the class if it set one of the last two. */
static void load(jclass redefined, jobject by, const char *name) {
    jvmtiEventCallbacks callbacks = {0};
    const unsigned char bytes[] = {0xca, 0xfe, 0xba, 0xbe};
    jint new_length = 7;
    unsigned char *new_bytes = NULL;
    class_starts_add_callbacks(&callbacks);
    callbacks.ClassFileLoadHook(NULL, &env, redefined, by, name, NULL, sizeof bytes, bytes, &new_length, &new_bytes);
    CHECK(new_length == 7 && new_bytes == NULL);
}

static void aClassHasItsNameAndItsLoader(void) {
    load(NULL, (jobject)&loader, "p/A");
    CHECK(queued != NULL && queued->kind == UPCALL_KIND_CLASS_LOAD_STARTED && references == 1);
    CHECK((void *)queued->object == &loader && queued->text[0] == NULL && strcmp(queued->text[1], "p/A") == 0);
    queued->object = NULL;
}

static void aClassOfTheBootLoaderWithoutANameHasNeither(void) {
    load(NULL, NULL, NULL);
    CHECK(queued != NULL && queued->object == NULL && queued->text[1] == NULL && references == 1);
}

static void aClassThatAnAgentChangesDoesNotStartToLoad(void) {
    queued_free();
    load((jclass)&loader, (jobject)&loader, "p/A");
    CHECK(queued == NULL && references == 1 && lost_events == 0);
}

int main(void) {
    RUN(aClassHasItsNameAndItsLoader);
    RUN(aClassOfTheBootLoaderWithoutANameHasNeither);
    RUN(aClassThatAnAgentChangesDoesNotStartToLoad);
    queued_free();
}
