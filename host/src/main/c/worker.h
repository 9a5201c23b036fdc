/* The host's thread. */
#ifndef MAYFLY_WORKER_H
#define MAYFLY_WORKER_H


enum work { HOST_A_PROFILER, STOP_LISTENER, AWAIT_CLOSE };

void *worker_run(void *work);

#endif
