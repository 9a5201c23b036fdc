/* The JVM's attach listener. */
#ifndef MAYFLY_LISTENER_H
#define MAYFLY_LISTENER_H

#include <stdbool.h>

bool listener_is_others(void);
void listener_stop(void);
bool listener_note_caller(void);
void listener_await_close(void);

#endif
