/* The trigger inside the target. */
#ifndef MAYFLY_TRIGGER_H
#define MAYFLY_TRIGGER_H

#include <jni.h>

#include "launch_file.h"

void trigger_run(JavaVM *vm, struct launch *launch);

#endif
