/* The suspensions of the JVM's threads. */
#ifndef MAYFLY_SUSPENSIONS_H
#define MAYFLY_SUSPENSIONS_H

#include <stdbool.h>

bool suspensions_set(bool on);
bool suspensions_end(void);
int suspensions_fd(void);
void suspensions_read(void);

#endif
