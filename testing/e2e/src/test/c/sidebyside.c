/* A program with two JVMs: sidebyside LIBJVM CLASS LIBJVM JAVA -cp PATH CLASS [ARGUMENT ...].
   The first runs CLASS for ever; the second, which takes the signals, is in a namespace of the dynamic linker of its own and
   talks on the standard streams.

   There are two C libraries then. When many threads come and go, so that some share the main arena of malloc, such a process ends
   with a corrupted heap, without any profiler (seen with 2.36): run it with GLIBC_TUNABLES=glibc.malloc.arena_max=2000. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "java_main.h"

struct runtime {
    void *library;
    const char *class_path;
    char *class;
    sem_t created;
};

static void *run(void *argument) {
    struct runtime *runtime = argument;
    jint (*create)(JavaVM **, void **, void *) =
            (jint (*)(JavaVM **, void **, void *)) dlsym(runtime->library, "JNI_CreateJavaVM");
    const char *property = "-Djava.class.path=";
    char *path = malloc(strlen(property) + strlen(runtime->class_path) + 1);
    strcat(strcpy(path, property), runtime->class_path);
    /* What the JVMs write about themselves would be one file for both. */
    JavaVMOption options[] = {{path, NULL}, {"-Xmx64m", NULL}, {"-XX:-UsePerfData", NULL}};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .nOptions = 3, .options = options};
    JavaVM *vm;
    JNIEnv *env;
    if (create == NULL || create(&vm, (void **) &env, &arguments) != JNI_OK) {
        _exit(96);
    }
    sem_post(&runtime->created);
    java_main(env, runtime->class);
    return NULL;
}

static void start(struct runtime *runtime, pthread_t *thread, void *library, const char *class_path, char *class) {
    if (library == NULL) {
        fprintf(stderr, "sidebyside: %s\n", dlerror());
        _exit(97);
    }
    *runtime = (struct runtime){.library = library, .class_path = class_path, .class = class};
    sem_init(&runtime->created, 0, 0);
    /* That of the C library which the JVM uses: it has variables for each thread that only its own threads have. */
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) dlsym(library, "pthread_create");
    create(thread, NULL, run, runtime);
    sem_wait(&runtime->created);
}

int main(int argc, char **argv) {
    static struct runtime first, second;
    pthread_t one, two;
    if (argc < 8) {
        return 98;
    }
    start(&first, &one, dlopen(argv[1], RTLD_NOW), argv[6], argv[2]);
    start(&second, &two, dlmopen(LM_ID_NEWLM, argv[3], RTLD_NOW), argv[6], argv[7]);
    pthread_join(two, NULL);
    _exit(0);
}
