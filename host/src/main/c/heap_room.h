/* Room in the program's heap for a large request. */
#ifndef MAYFLY_HEAP_ROOM_H
#define MAYFLY_HEAP_ROOM_H

#include <jni.h>
#include <stddef.h>

#include "failures.h"

enum failure heap_make_room(JNIEnv *env, size_t bytes);

#endif
