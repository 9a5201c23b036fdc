/* The line by which the library reports that the JVM runs without the profiler. */
#define _GNU_SOURCE
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The section in docs/troubleshooting.md, at the end of the line. */
#define WORD " [not-launched]\n"

/* Writes one line to the program's standard error, with blanks instead of control characters. */
void launch_say(const char *format, ...) {
    char line[1024];
    va_list values;
    int length = snprintf(line, sizeof line, "mayfly: this JVM runs without the profiler: ");
    va_start(values, format);
    vsnprintf(line + length, sizeof line - (size_t)length - sizeof WORD, format, values);
    va_end(values);
    for (char *at = line; *at != 0; at++) {
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at;
    }
    strcat(line, WORD);
    ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
    (void)ignored;
}
