/* A library for a target: its thread waits uninterruptibly for a sleeping child, see vfork(2). */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void Java_mayfly_e2e_Vforks_hold(void *env, void *type) {
    (void) env;
    (void) type;
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (1) {
            pause();
        }
    }
}
