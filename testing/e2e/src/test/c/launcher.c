/* A program that loads a JVM on request: launcher LIBJVM JAVA [OPTION ...] CLASS [ARGUMENT ...]. At the first line of
   input it loads the library; at the second line it creates the JVM and calls the main method of the class. */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads byte by byte: the input after the line belongs to the Java program. */
static void await_line(const char *ready) {
    char c = 0;
    printf("READY %s\n", ready);
    fflush(stdout);
    while (c != '\n') {
        if (read(0, &c, 1) != 1) {
            exit(3);
        }
    }
}

int main(int argc, char **argv) {
    JavaVMOption options[64];
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .options = options};
    int i = 3;
    for (; i < argc && argv[i][0] == '-' && arguments.nOptions < 64; i++) {
        char *option = argv[i];
        if (strcmp(option, "-cp") == 0 && i + 1 < argc) {
            const char *property = "-Djava.class.path=";
            option = malloc(strlen(property) + strlen(argv[++i]) + 1);
            strcat(strcpy(option, property), argv[i]);
        }
        options[arguments.nOptions++].optionString = option;
    }
    if (i >= argc) {
        return 98;
    }
    await_line("without libjvm");
    void *library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "launcher: %s\n", dlerror());
        return 97;
    }
    await_line("with libjvm");
    jint (*create)(JavaVM **, void **, void *) =
            (jint (*)(JavaVM **, void **, void *)) dlsym(library, "JNI_CreateJavaVM");
    JavaVM *vm;
    JNIEnv *env;
    if (create == NULL || create(&vm, (void **) &env, &arguments) != JNI_OK) {
        return 96;
    }
    for (char *c = argv[i]; *c != 0; c++) {
        *c = *c == '.' ? '/' : *c;
    }
    jclass type = (*env)->FindClass(env, argv[i]);
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jmethodID method = type == NULL ? NULL : (*env)->GetStaticMethodID(env, type, "main", "([Ljava/lang/String;)V");
    jobjectArray words = (*env)->NewObjectArray(env, argc - i - 1, string, NULL);
    for (int n = i + 1; n < argc; n++) {
        (*env)->SetObjectArrayElement(env, words, n - i - 1, (*env)->NewStringUTF(env, argv[n]));
    }
    if (method != NULL) {
        (*env)->CallStaticVoidMethod(env, type, method, words);
    }
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
    }
    return (*vm)->DestroyJavaVM(vm);
}
