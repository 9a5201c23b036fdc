/*
 * A library for LD_PRELOAD, by which a JVM starts with a profiler only if it can open the launch library. A JVM ends if
 * it cannot open a library that its options name, for example in another root directory or mount namespace. The dynamic
 * loader passes over a preloaded library that it cannot open, and prints one line.
 *
 * The library defines getenv(3), which the JVM calls for JAVA_TOOL_OPTIONS, and adds the option of the launch library
 * to the value. The environment itself stays as it is, so that no program that this process starts inherits the option.
 * For all other variables it calls the C library's function.
 *
 * It is mapped into each program that inherits LD_PRELOAD. It therefore needs no other library, not even the C library:
 * a program with another C library starts with it as well.
 */
#include <stddef.h>

#define VARIABLE "JAVA_TOOL_OPTIONS"
#define SELF "/libmayflypreload.so"
#define AGENT "-agentpath:"
#define LAUNCH_LIBRARY "/libmayflylaunch.so"
#define LAUNCH_FILE "/profiler.launch"

#define WITHOUT "mayfly: this JVM runs without the profiler: "
#define END " [not-launched]\n"
#define CANNOT " cannot be opened" END
#define TOO_LONG " has no room in " VARIABLE END

/* System calls of Linux on x86-64; open has the flag O_CLOEXEC. */
enum { CALL_WRITE = 1, CALL_OPEN = 2, CALL_CLOSE = 3, CLOSE_ON_EXEC = 02000000 };
enum { MAX_FOLDER = 4096, MAX_VALUE = 65536, STANDARD_ERROR = 2 };

/* Of the C library. The first is getenv for all programs but set-user-ID ones, which have no preloaded library. */
extern char *secure_getenv(const char *name) __attribute__((weak));
extern char **environ __attribute__((weak));
extern const char *gnu_get_libc_version(void) __attribute__((weak));

__attribute__((visibility("default"))) char *getenv(const char *name);

static char combined[MAX_VALUE];

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

static int are_equal(const char *a, const char *b, size_t length) {
    size_t at = 0;
    while (at < length && a[at] == b[at]) {
        at++;
    }
    return at == length;
}

static long system_call(long number, long first, long second, long third) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

static int can_open(const char *path) {
    long fd = system_call(CALL_OPEN, (long)path, CLOSE_ON_EXEC, 0);
    if (fd >= 0) {
        system_call(CALL_CLOSE, fd, 0, 0);
    }
    return fd >= 0;
}

/* Appends a text. Returns the new length, or 0 if there is no room. */
static size_t append(char *to, size_t room, size_t length, const char *text, size_t size) {
    if (length + size >= room) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        to[length + i] = text[i];
    }
    to[length + size] = 0;
    return length + size;
}

/* Finds the folder of this library in LD_PRELOAD, whose names end with a colon or a blank. Returns its length, or 0. */
static size_t find_folder(const char *names, const char **folder) {
    const size_t self = sizeof SELF - 1;
    while (names != NULL && *names != 0) {
        size_t length = 0;
        while (names[length] != 0 && names[length] != ':' && names[length] != ' ') {
            length++;
        }
        if (length > self && length < MAX_FOLDER && are_equal(names + length - self, SELF, self)) {
            *folder = names;
            return length - self;
        }
        names += length;
        names += *names != 0;
    }
    return 0;
}

static void say_once(const char *library, const char *why) {
    static char line[sizeof WITHOUT + MAX_FOLDER + sizeof LAUNCH_LIBRARY + sizeof TOO_LONG];
    if (line[0] == 0) {
        size_t length = append(line, sizeof line, 0, WITHOUT, sizeof WITHOUT - 1);
        length = append(line, sizeof line, length, library, length_of(library));
        length = append(line, sizeof line, length, why, length_of(why));
        system_call(CALL_WRITE, STANDARD_ERROR, (long)line, (long)length);
    }
}

/* Returns the user's value of the variable with the option; NULL if the launch library cannot be opened or named. */
static char *with_option(const char *folder, size_t size, const char *theirs) {
    char library[MAX_FOLDER + sizeof LAUNCH_LIBRARY];
    size_t length = append(library, sizeof library, 0, folder, size);
    append(library, sizeof library, length, LAUNCH_LIBRARY, sizeof LAUNCH_LIBRARY - 1);
    size_t own = theirs == NULL ? 0 : length_of(theirs);
    const char *why = !can_open(library) ? CANNOT : own + 2 * sizeof library >= sizeof combined ? TOO_LONG : NULL;
    if (why != NULL) {
        say_once(library, why);
        return NULL;
    }
    length = append(combined, sizeof combined, 0, theirs, own);
    length = append(combined, sizeof combined, length, " ", own > 0);
    length = append(combined, sizeof combined, length, AGENT, sizeof AGENT - 1);
    length = append(combined, sizeof combined, length, library, length_of(library));
    length = append(combined, sizeof combined, length, "=", 1);
    length = append(combined, sizeof combined, length, folder, size);
    append(combined, sizeof combined, length, LAUNCH_FILE, sizeof LAUNCH_FILE - 1);
    return combined;
}

/* Returns the value of a variable in the environment, or NULL. */
static char *value_of(const char *name) {
    if (secure_getenv != NULL) {
        return secure_getenv(name);
    }
    size_t length = length_of(name);
    for (char **each = &environ == NULL ? NULL : environ; each != NULL && *each != NULL; each++) {
        if (are_equal(*each, name, length) && (*each)[length] == '=') {
            return *each + length + 1;
        }
    }
    return NULL;
}

/* The launch library needs the GNU C library; with another one, a JVM could not open it. */
char *getenv(const char *name) {
    char *value = value_of(name);
    if (!are_equal(name, VARIABLE, sizeof VARIABLE) || gnu_get_libc_version == NULL) {
        return value;
    }
    const char *folder;
    size_t size = find_folder(value_of("LD_PRELOAD"), &folder);
    char *added = size == 0 ? NULL : with_option(folder, size, value);
    return added == NULL ? value : added;
}
