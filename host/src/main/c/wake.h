/* Wakes the channel's thread. */
#ifndef MAYFLY_WAKE_H
#define MAYFLY_WAKE_H


int wake_open(void);
void wake_channel(void);
void wake_read(void);
void wake_close(void);

#endif
