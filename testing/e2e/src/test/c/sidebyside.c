/* A program with several JVMs: sidebyside LIBJVM CLASS LIBJVM JAVA -cp PATH CLASS [ARGUMENT ...]. The first JVM runs
   CLASS without end. So do further ones, whose libraries the variable SIDEBYSIDE_MORE names, separated by colons; all
   JVMs then interpret their programs. The JVM of the second LIBJVM starts last, handles the signals, and uses the
   standard streams. Each JVM except the first is in a dynamic linker namespace of its own. With the variable
   SIDEBYSIDE_LATE, the last JVM starts when the file that the variable names exists.

   The process then has several C libraries. When many threads start and end, so that some share the main arena of
   malloc, such a process ends with a corrupted heap, without any profiler (seen with glibc 2.36 and 2.43). A thread of
   the second JVM takes an arena of the first C library, which does not notice the end of the thread. Run it with
   an arena_max that its threads do not reach (GLIBC_TUNABLES): see JvmPair. */
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

enum { MAX_MORE = 8 };

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
    /* The performance data of both JVMs would have the same file name. */
    JavaVMOption options[] = {{path, NULL}, {"-Xmx64m", NULL}, {"-XX:-UsePerfData", NULL}, {"-Xint", NULL},
        {"-XX:ErrorFile=/dev/null", NULL}};
    JavaVMInitArgs arguments = {
        .version = JNI_VERSION_10, .nOptions = getenv("SIDEBYSIDE_MORE") == NULL ? 3 : 5, .options = options};
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
    /* The pthread_create of the C library that the JVM uses: this library has thread-local variables that only the
       threads it created have. */
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) dlsym(library, "pthread_create");
    create(thread, NULL, run, runtime);
    sem_wait(&runtime->created);
}

int main(int argc, char **argv) {
    static struct runtime first, second, others[MAX_MORE];
    pthread_t one, two;
    if (argc < 8) {
        return 98;
    }
    start(&first, &one, dlopen(argv[1], RTLD_NOW), argv[6], argv[2]);
    char *more = getenv("SIDEBYSIDE_MORE");
    int count = 0;
    for (char *path = more == NULL ? NULL : strtok(more, ":"); path != NULL && count < MAX_MORE;
            path = strtok(NULL, ":")) {
        start(&others[count++], &one, dlmopen(LM_ID_NEWLM, path, RTLD_NOW), argv[6], argv[2]);
    }
    const char *late = getenv("SIDEBYSIDE_LATE");
    while (late != NULL && access(late, F_OK) != 0) {
        usleep(1000);
    }
    start(&second, &two, dlmopen(LM_ID_NEWLM, argv[3], RTLD_NOW), argv[6], argv[7]);
    pthread_join(two, NULL);
    _exit(0);
}
