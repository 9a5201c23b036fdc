/* The start of the load of a class. */
#ifndef MAYFLY_CLASS_STARTS_H
#define MAYFLY_CLASS_STARTS_H

#include <jvmti.h>

void class_starts_add_callbacks(jvmtiEventCallbacks *callbacks);

#endif
