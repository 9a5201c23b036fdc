/* Events from the JVM's own log. */
#ifndef MAYFLY_VMLOG_H
#define MAYFLY_VMLOG_H

#include <stdbool.h>
#include <stdint.h>

bool vmlog_set(uint32_t events);
void vmlog_restore(uint32_t events);
void vmlog_restore_again(void);
bool vmlog_end(void);
int vmlog_fd(void);
void vmlog_read(void);

#endif
