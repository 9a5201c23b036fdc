#include "text.h"

#include <linux/errno.h>

size_t text_length(const char *text) {
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

bool text_equals(const char *text, const char *other) {
    const char *rest = text_after(text, other);
    return rest != NULL && *rest == 0;
}

const char *text_after(const char *text, const char *prefix) {
    while (*prefix != 0) {
        if (*text++ != *prefix++) {
            return NULL;
        }
    }
    return text;
}

const char *text_find(const char *text, const char *characters) {
    for (; *text != 0; text++) {
        for (const char *each = characters; *each != 0; each++) {
            if (*text == *each) {
                return text;
            }
        }
    }
    return NULL;
}

char *text_join(const char *const *parts) {
    size_t length = 0;
    for (const char *const *part = parts; *part != NULL; part++) {
        length += text_length(*part);
    }
    char *joined = allocate(length + 1);
    char *end = joined;
    for (const char *const *part = parts; *part != NULL; part++) {
        for (const char *from = *part; *from != 0; from++) {
            *end++ = *from;
        }
    }
    return joined;
}

char *text_number(unsigned long number) {
    char digits[3 * sizeof number + 1];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return JOIN(first);
}

const char *error_text(long number) {
    switch (number) {
        case EPERM: return "operation not permitted";
        case ENOENT: return "no such file";
        case E2BIG: return "the arguments and the environment are too long";
        case ENOEXEC: return "not a program for this machine";
        case ENOMEM: return "out of memory";
        case EACCES: return "permission denied";
        case ENOTDIR: return "not a directory";
        case ELOOP: return "too many symbolic links";
        case ENAMETOOLONG: return "the path is too long";
        default: return JOIN("error ", text_number((unsigned long)number));
    }
}
