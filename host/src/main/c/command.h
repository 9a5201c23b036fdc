/* Diagnostic commands to the JVM. */
#ifndef MAYFLY_COMMAND_H
#define MAYFLY_COMMAND_H


/* The outcome of a command: not sent to the JVM, sent but not answered, refused, executed. */
enum command_outcome { COMMAND_NOT_SENT, COMMAND_UNANSWERED, COMMAND_REFUSED, COMMAND_DONE };

enum command_outcome command_run(const char *command);

#endif
