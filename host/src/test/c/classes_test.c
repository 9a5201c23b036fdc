/* The look-up of classes in the boot loader alone. */
#define _GNU_SOURCE
#include <dlfcn.h>

/* Double: the symbols of a libjvm. */
static void *planted_dlsym(void *handle, const char *name);

#define dlsym planted_dlsym
#include "../../main/c/classes.c"
#undef dlsym

#include "check.h"

#include <stdint.h>
#include <string.h>

static int object;              /* stands for any object */
static bool pending;            /* an exception */
static bool throws;             /* the look-up throws */
static bool exported;           /* the JVM exports the look-up */
static int lookups;
static jint capacity;
static bool is_instance;

static jclass JNICALL find(JNIEnv *env, const char *name) {
    (void)env;
    CHECK(!pending);
    lookups++;
    pending = throws;
    return strcmp(name, "java/lang/String") == 0 ? (jclass)&object : NULL;
}

static void *planted_dlsym(void *handle, const char *name) {
    CHECK(handle != NULL && strcmp(name, "JVM_FindClassFromBootLoader") == 0);
    return exported ? (void *)(uintptr_t)&find : NULL;
}

void *runtime_library(void) {
    return dlopen(NULL, RTLD_NOW);
}

static jboolean JNICALL is_pending(JNIEnv *env) {
    (void)env;
    return pending;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static jboolean JNICALL instance_of(JNIEnv *env, jobject value, jclass class) {
    (void)env;
    CHECK((void *)value == &object && (void *)class == &object);
    return is_instance;
}

static void JNICALL forget(JNIEnv *env, jobject reference) {
    (void)env;
    (void)reference;
}

static jint JNICALL ensure(JNIEnv *env, jint count) {
    (void)env;
    capacity = count;
    return 0;
}

static const struct JNINativeInterface_ functions = {
    .ExceptionCheck = is_pending, .ExceptionClear = clear, .IsInstanceOf = instance_of, .DeleteLocalRef = forget,
    .EnsureLocalCapacity = ensure};
static JNIEnv env = &functions;

/* Runs first: a look-up that was found is kept. */
static void aJvmWithoutTheLookUpHasNoClasses(void) {
    CHECK(class_find(&env, "java/lang/String") == NULL && lookups == 0);
    CHECK(!class_is(&env, (jobject)&object, "java/lang/String"));
    exported = true;
    CHECK(class_find(&env, "java/lang/String") == (jclass)&object && lookups == 1);
    exported = false;
    CHECK(class_find(&env, "java/lang/String") == (jclass)&object && lookups == 2);
}

static void anUnknownClassIsNullWithoutAnException(void) {
    CHECK(class_find(&env, "java/lang/Strin") == NULL);
    throws = true;
    CHECK(class_find(&env, "java/lang/String") == NULL && !pending);
    throws = false;
}

/* JNI permits no look-up while an exception is pending. */
static void aPendingExceptionIsClearedInsteadOfALookUp(void) {
    lookups = 0;
    pending = true;
    CHECK(class_find(&env, "java/lang/String") == NULL && !pending && lookups == 0);
}

static void onlyAnExistingClassHasInstances(void) {
    is_instance = true;
    CHECK(class_is(&env, (jobject)&object, "java/lang/String"));
    CHECK(!class_is(&env, (jobject)&object, "java/lang/Strin"));
    CHECK(!class_is(&env, NULL, "java/lang/String"));
    is_instance = false;
    CHECK(!class_is(&env, (jobject)&object, "java/lang/String"));
}

static void theCapacityForLocalReferencesIsBounded(void) {
    locals_reserve(&env, 1);
    CHECK(capacity == 17);
    locals_reserve(&env, 65520);
    CHECK(capacity == 65536);
    locals_reserve(&env, 65521);
    CHECK(capacity == 65536);
    locals_reserve(&env, INT32_MAX);
    CHECK(capacity == 65536);
}

int main(void) {
    RUN(aJvmWithoutTheLookUpHasNoClasses);
    RUN(anUnknownClassIsNullWithoutAnException);
    RUN(aPendingExceptionIsClearedInsteadOfALookUp);
    RUN(onlyAnExistingClassHasInstances);
    RUN(theCapacityForLocalReferencesIsBounded);
}
