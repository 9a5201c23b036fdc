/* Calls the main method of a class without arguments; ends the program if main throws. */
#include <jni.h>
#include <unistd.h>

static void java_main(JNIEnv *env, char *class) {
    for (char *c = class; *c != 0; c++) {
        *c = *c == '.' ? '/' : *c;
    }
    jclass type = (*env)->FindClass(env, class);
    jmethodID method = type == NULL ? NULL : (*env)->GetStaticMethodID(env, type, "main", "([Ljava/lang/String;)V");
    if (method != NULL) {
        jclass string = (*env)->FindClass(env, "java/lang/String");
        (*env)->CallStaticVoidMethod(env, type, method, (*env)->NewObjectArray(env, 0, string, NULL));
    }
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        _exit(95);
    }
}
