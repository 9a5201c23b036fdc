/* A program with two JVMs and a third libjvm that is only mapped: destroyed MAPPED LIBJVM LIBJVM JAVA -cp PATH CLASS.
   The first JVM starts first and runs nothing. When the file that the variable DESTROY names appears, the program
   destroys this JVM and creates a file of that name with the suffix ".done". The second JVM runs CLASS, which uses the
   standard streams. Each libjvm is in a dynamic linker namespace of its own, except that of the
   first JVM. Run the program with GLIBC_TUNABLES=glibc.malloc.arena_max=2000, see sidebyside.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
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

static void destroy_when_asked(JavaVM *vm) {
    const char *asked = getenv("DESTROY");
    while (asked == NULL || access(asked, F_OK) != 0) {
        usleep(10000);
    }
    if ((*vm)->DestroyJavaVM(vm) != JNI_OK) {
        _exit(94);
    }
    char done[4096];
    snprintf(done, sizeof done, "%s.done", asked);
    close(open(done, O_CREAT | O_WRONLY, 0600));
}

static void *run(void *argument) {
    struct runtime *runtime = argument;
    jint (*create)(JavaVM **, void **, void *) =
            (jint (*)(JavaVM **, void **, void *)) dlsym(runtime->library, "JNI_CreateJavaVM");
    const char *property = "-Djava.class.path=";
    char *path = malloc(strlen(property) + strlen(runtime->class_path) + 1);
    strcat(strcpy(path, property), runtime->class_path);
    JavaVMOption options[] = {{path, NULL}, {"-Xmx64m", NULL}, {"-XX:-UsePerfData", NULL}};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .nOptions = 3, .options = options};
    JavaVM *vm;
    JNIEnv *env;
    if (create == NULL || create(&vm, (void **) &env, &arguments) != JNI_OK) {
        _exit(96);
    }
    sem_post(&runtime->created);
    if (runtime->class == NULL) {
        destroy_when_asked(vm);
    } else {
        java_main(env, runtime->class);
    }
    return NULL;
}

static void start(struct runtime *runtime, pthread_t *thread, void *library, const char *class_path, char *class) {
    if (library == NULL) {
        fprintf(stderr, "destroyed: %s\n", dlerror());
        _exit(97);
    }
    *runtime = (struct runtime){.library = library, .class_path = class_path, .class = class};
    sem_init(&runtime->created, 0, 0);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) dlsym(library, "pthread_create");
    create(thread, NULL, run, runtime);
    sem_wait(&runtime->created);
}

int main(int argc, char **argv) {
    static struct runtime first, second;
    pthread_t one, two;
    if (argc < 8 || dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) == NULL) {
        return 98;
    }
    start(&first, &one, dlopen(argv[2], RTLD_NOW), argv[6], NULL);
    start(&second, &two, dlmopen(LM_ID_NEWLM, argv[3], RTLD_NOW), argv[6], argv[7]);
    pthread_join(two, NULL);
    _exit(0);
}
