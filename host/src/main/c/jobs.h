/* Requests that wait for the host's thread. */
#ifndef MAYFLY_JOBS_H
#define MAYFLY_JOBS_H

#include <stdint.h>

#include "bytes.h"
#include "failures.h"

enum job_kind { JOB_ATTACH = 1, JOB_COMMAND = 2, JOB_DETACH = 3 };

/* A request from the channel to the host's thread. */
struct job {
    struct job *next;
    enum job_kind kind;
    int client;
    uint64_t serial;
    struct bytes payload;
};

enum failure job_add(enum job_kind kind, int client, uint64_t serial, struct bytes payload);
struct job *job_take(void);
void job_free(struct job *job);

#endif
