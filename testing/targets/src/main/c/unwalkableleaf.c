/*
 * The native half of UnwalkableLeaf: machine code in a mapping of its own, without call-frame information and without a
 * frame pointer, which spins until the process ends.
 */
#define _GNU_SOURCE
#include <jni.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* The code clears rbp, sets the word at offset 64 to 1, and jumps to itself. */
static const unsigned char code[] = {0x31, 0xed, 0xc7, 0x05, 52, 0, 0, 0, 1, 0, 0, 0, 0xeb, 0xfe};
#define FLAG 64

static char *page;
static pthread_t caller;

JNIEXPORT jboolean JNICALL Java_mayfly_targets_UnwalkableLeaf_map(JNIEnv *env, jclass class) {
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return JNI_FALSE;
    }
    memcpy(page, code, sizeof code);
    return JNI_TRUE;
}

/* The JVM has recorded the call of a native method. */
JNIEXPORT void JNICALL Java_mayfly_targets_UnwalkableLeaf_spin(JNIEnv *env, jclass class) {
    ((void (*)(void))page)();
}

JNIEXPORT void JNICALL Java_mayfly_targets_UnwalkableLeaf_note(JNIEnv *env, jclass class) {
    caller = pthread_self();
}

/* The JVM does not know that a signal handler runs, and has recorded nothing. */
JNIEXPORT jboolean JNICALL Java_mayfly_targets_UnwalkableLeaf_interrupt(JNIEnv *env, jclass class) {
    struct sigaction action = {0};
    action.sa_handler = (void (*)(int))page;
    return sigaction(SIGRTMIN + 8, &action, NULL) == 0 && pthread_kill(caller, SIGRTMIN + 8) == 0;
}

JNIEXPORT jboolean JNICALL Java_mayfly_targets_UnwalkableLeaf_spins(JNIEnv *env, jclass class) {
    return *(volatile int *)(page + FLAG) == 1;
}
