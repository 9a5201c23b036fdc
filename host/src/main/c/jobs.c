/* The requests that the channel has received and the host's thread has not yet taken. */
#define _GNU_SOURCE
#include "jobs.h"
#include "bytes.h"
#include "failures.h"
#include "host.h"

#include <stdlib.h>

enum { MAX_JOBS = 16 };

/* Requires the lock. Takes ownership of the payload unless it fails. */
enum failure job_add(enum message_type type, int client, uint64_t serial, struct bytes payload) {
    if (host.jobs >= MAX_JOBS) {
        return FAILURE_TOO_MANY;
    }
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        return FAILURE_NO_MEMORY;
    }
    *job = (struct job){.type = type, .client = client, .serial = serial, .payload = payload};
    *(host.last == NULL ? &host.first : &host.last->next) = job;
    host.last = job;
    host.jobs++;
    pthread_cond_broadcast(&host.changed);
    return FAILURE_NONE;
}

/* Requires the lock. Returns the first request, which the caller frees; NULL if there is none. */
struct job *job_take(void) {
    struct job *job = host.first;
    if (job != NULL) {
        host.first = job->next;
        host.last = host.first == NULL ? NULL : host.last;
        host.jobs--;
    }
    return job;
}

void job_free(struct job *job) {
    free(job->payload.at);
    free(job);
}
