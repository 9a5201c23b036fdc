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

static void aClassHasItsNameAndItsLoader(void) {
    class_starts_deliver(&env, (jobject)&loader, "p/A");
    CHECK(queued != NULL && queued->kind == UPCALL_KIND_CLASS_LOAD_STARTED && references == 1);
    CHECK((void *)queued->object == &loader && queued->text[0] == NULL && strcmp(queued->text[1], "p/A") == 0);
    queued->object = NULL;
}

static void aClassOfTheBootLoaderWithoutANameHasNeither(void) {
    class_starts_deliver(&env, NULL, NULL);
    CHECK(queued != NULL && queued->object == NULL && queued->text[1] == NULL && references == 1);
}

int main(void) {
    RUN(aClassHasItsNameAndItsLoader);
    RUN(aClassOfTheBootLoaderWithoutANameHasNeither);
    queued_free();
}
