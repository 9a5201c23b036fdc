/* The native half of UntouchedBuffer: a frame of 256 KiB, of which only one page is ever touched. */
#include <jni.h>
#include <time.h>

#define SIZE (256 << 10)

static volatile long sink;

static long cpu_nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

__attribute__((noinline)) static void spin(volatile char *buffer, long nanos) {
    long end = cpu_nanos() + nanos;
    do {
        for (int i = 0; i < 100000; i++) {
            sink += i ^ buffer[0];
        }
    } while (cpu_nanos() < end);
}

JNIEXPORT void JNICALL Java_mayfly_targets_UntouchedBuffer_burn(JNIEnv *env, jclass class, jlong nanos) {
    volatile char buffer[SIZE];
    buffer[0] = 1;
    spin(buffer, nanos);
    sink += buffer[0];
}
