/* The threads that run a callback of the profiler. */
#ifndef MAYFLY_CALLBACKS_H
#define MAYFLY_CALLBACKS_H

#include <jni.h>
#include <stdbool.h>

#include "wire.h"

int callbacks_open(void);
void callbacks_close(void);
bool callback_is_inside(void);
void callback_about(jobject object);
jobject callback_object(void);
bool callback_enter(enum upcall_kind kind, int *slot);
void callback_leave(int slot);
int callback_show(enum upcall_kind kind);
void callback_hide(int slot);

#endif
