/* Diagnostic commands to the JVM. */
#ifndef MAYFLY_COMMAND_H
#define MAYFLY_COMMAND_H

#include <stddef.h>

/* The outcome of a command: not sent to the JVM, sent but not answered, refused, executed. */
enum command_outcome { COMMAND_NOT_SENT, COMMAND_UNANSWERED, COMMAND_REFUSED, COMMAND_DONE };

enum command_outcome command_run(const char *command);
enum command_outcome command_run_silent(const char *command, const char *remark);
enum command_outcome command_ask(const char *command, int seconds, char **text, size_t *length);

#endif
