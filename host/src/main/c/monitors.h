/* Threads that wait for a monitor, or wait in Object.wait. */
#ifndef MAYFLY_MONITORS_H
#define MAYFLY_MONITORS_H

#include <jvmti.h>

void monitors_add_callbacks(jvmtiEventCallbacks *callbacks);

#endif
