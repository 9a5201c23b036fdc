/* Messages of the launch library. */
#ifndef MAYFLY_SAY_H
#define MAYFLY_SAY_H

void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
