/* What the doubles have seen. */
#ifndef MAYFLY_DOUBLES_H
#define MAYFLY_DOUBLES_H

struct event;

extern struct event *queued;    /* the event that was added last, or NULL */
extern int lost_events;

void queued_free(void);

#endif
