/* Requests that wait for the host's thread. */
#ifndef MAYFLY_JOBS_H
#define MAYFLY_JOBS_H

#include <stdint.h>

#include "bytes.h"
#include "failures.h"
#include "wire.h"

/* A request from the channel to the host's thread. */
struct job {
    struct job *next;
    enum message_type type;     /* ATTACH, COMMAND or DETACH */
    int client;
    uint64_t serial;
    struct bytes payload;
};

enum failure job_add(enum message_type type, int client, uint64_t serial, struct bytes payload);
struct job *job_take(void);
void job_free(struct job *job);

#endif
