/* The calls that the doubles have recorded. */
#ifndef MAYFLY_DOUBLES_H
#define MAYFLY_DOUBLES_H

struct event;

extern struct event *queued;    /* the last event added, or NULL */
extern int lost_events;

void queued_free(void);

#endif
