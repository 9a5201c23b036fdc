/* A program linked with libjvm: linked JAVA -cp PATH CLASS. The JVM runs on a separate thread, as in the java launcher.
   */
#include <jni.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "java_main.h"

static char **words;

static void *run(void *unused) {
    const char *property = "-Djava.class.path=";
    char *path = malloc(strlen(property) + strlen(words[3]) + 1);
    strcat(strcpy(path, property), words[3]);
    JavaVMOption options[] = {{path, NULL}};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .nOptions = 1, .options = options};
    JavaVM *vm;
    JNIEnv *env;
    if (JNI_CreateJavaVM(&vm, (void **) &env, &arguments) != JNI_OK) {
        exit(96);
    }
    java_main(env, words[4]);
    (*vm)->DestroyJavaVM(vm);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    words = argv;
    if (argc < 5 || pthread_create(&thread, NULL, run, NULL) != 0) {
        return 98;
    }
    pthread_join(thread, NULL);
    return 0;
}
