/* Text and messages of the archive's programs. */
#ifndef MAYFLY_TEXT_H
#define MAYFLY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "memory.h"

size_t text_length(const char *text);

bool text_equals(const char *text, const char *other);

/* Returns the rest of a text that begins with a prefix, or NULL. */
const char *text_after(const char *text, const char *prefix);

/* Returns the position of the first of these characters, or NULL. */
const char *text_find(const char *text, const char *characters);

/* Returns a new text with all parts of a list that ends with NULL. */
char *text_join(const char *const *parts);

#define JOIN(...) text_join((const char *const[]){__VA_ARGS__, NULL})

/* Returns a new text with a decimal number. */
char *text_number(unsigned long number);

/* Prints a line on standard error. */
#define SAY(...) say(JOIN("mayfly: ", __VA_ARGS__, "\n"))

/* Returns the text for an errno, or its number. */
const char *error_text(long number);

#endif
