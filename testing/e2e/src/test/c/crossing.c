/* A program whose main thread runs methods of two JVMs in turn: crossing LIBJVM LIBJVM JAVA -cp PATH CLASS. The method
   "first" of the class in the first JVM calls "second" in the second JVM by a native method, which calls "first" in the
   first JVM, and so on; each gets the number of the calls to come. The second JVM is in a dynamic linker namespace of
   its own; see sidebyside.c for GLIBC_TUNABLES. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 3 };

struct runtime {
    JNIEnv *env;
    jclass type;
    jmethodID method;
};

static struct runtime runtimes[2];

static void check(JNIEnv *env, int failed, int status) {
    if (failed || (*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        _exit(status);
    }
}

static void call(struct runtime *runtime, jint calls) {
    (*runtime->env)->CallStaticVoidMethod(runtime->env, runtime->type, runtime->method, calls);
    check(runtime->env, 0, 93);
}

static void JNICALL other(JNIEnv *env, jclass type, jint calls) {
    (void) type;
    call(&runtimes[env == runtimes[0].env], calls);
}

static void start(struct runtime *runtime, void *library, const char *class_path, const char *class, char *method) {
    if (library == NULL) {
        fprintf(stderr, "crossing: %s\n", dlerror());
        _exit(97);
    }
    jint (*create)(JavaVM **, void **, void *) =
            (jint (*)(JavaVM **, void **, void *)) dlsym(library, "JNI_CreateJavaVM");
    const char *property = "-Djava.class.path=";
    char *path = malloc(strlen(property) + strlen(class_path) + 1);
    strcat(strcpy(path, property), class_path);
    /* The performance data of both JVMs would have the same file name. */
    JavaVMOption options[] = {{path, NULL}, {"-Xmx64m", NULL}, {"-XX:-UsePerfData", NULL}};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .nOptions = 3, .options = options};
    JavaVM *vm;
    if (create == NULL || create(&vm, (void **) &runtime->env, &arguments) != JNI_OK) {
        _exit(96);
    }
    JNIEnv *env = runtime->env;
    runtime->type = (*env)->FindClass(env, class);
    check(env, runtime->type == NULL, 95);
    runtime->method = (*env)->GetStaticMethodID(env, runtime->type, method, "(I)V");
    check(env, runtime->method == NULL, 95);
    JNINativeMethod native = {"other", "(I)V", (void *) other};
    check(env, (*env)->RegisterNatives(env, runtime->type, &native, 1), 94);
}

int main(int argc, char **argv) {
    if (argc < 7) {
        return 98;
    }
    char *class = argv[6];
    for (char *c = class; *c != 0; c++) {
        *c = *c == '.' ? '/' : *c;
    }
    start(&runtimes[0], dlopen(argv[1], RTLD_NOW), argv[5], class, "first");
    start(&runtimes[1], dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW), argv[5], class, "second");
    call(&runtimes[0], CALLS);
    _exit(0);
}
