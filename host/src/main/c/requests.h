/* Requests of clients, as the host's thread executes and answers them. */
#ifndef MAYFLY_REQUESTS_H
#define MAYFLY_REQUESTS_H

#include <jni.h>

#include "failures.h"
#include "jobs.h"
#include "wire.h"

void request_refuse(struct job *job, enum status status, const char *why);
void request_fail(const struct job *job, enum failure failure);
void request_answer(JNIEnv *env, struct job *job, jobject reply);
jobject request_force(JNIEnv *env);
void request_run(JNIEnv *env, struct job *job);
void request_run_late(struct job *job);

#endif
