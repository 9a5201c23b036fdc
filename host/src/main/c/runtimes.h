/* The JVMs of the process. */
#ifndef MAYFLY_RUNTIMES_H
#define MAYFLY_RUNTIMES_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

void *runtime_library(void);
bool runtime_has(const void *function);
bool runtime_has_company(void);
uint64_t runtime_address(JavaVM *vm);
bool runtime_is_at(JavaVM *vm, uint64_t library);
jint runtime_forward(uint64_t library, const char *options);
uint32_t runtime_rank(void);

#endif
