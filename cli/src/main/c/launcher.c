/*
 * The program "mayfly" of an archive. It starts the JVM of the archive by the archive's own dynamic loader and glibc,
 * so it runs on a host that has no glibc, or an older one. See docs/decisions/0032-an-archive-runs-on-its-own-glibc.md.
 */
#include "command.h"
#include "system.h"
#include "text.h"

#include <asm/stat.h>
#include <asm/termios.h>
#include <linux/limits.h>

/* Upper bound on the length of a file that the launcher reads. */
#define MAX_FILE 65536

/* Returns the path of this program, or NULL if /proc does not have it. */
static char *own_path(void) {
    char path[PATH_MAX];
    long length = system_call(__NR_readlink, (long)"/proc/self/exe", (long)path, sizeof path - 1, 0, 0, 0);
    if (length <= 0) {
        return NULL;
    }
    path[length] = 0;
    return JOIN(path);
}

static void cut_last_name(char *path) {
    size_t length = text_length(path);
    while (length > 0 && path[length] != '/') {
        length--;
    }
    path[length] = 0;
}

/* The kernel's path of a folder outside of the root directory does not begin with a slash, see getcwd(2). */
static bool has_folder(void) {
    char path[PATH_MAX];
    return system_call(__NR_getcwd, (long)path, sizeof path, 0, 0, 0, 0) > 0 && path[0] == '/';
}

/* Returns the contents of a file, or NULL. */
static char *contents(const char *path) {
    long file = system_open(path);
    if (file < 0) {
        return NULL;
    }
    char *text = allocate(MAX_FILE + 1);
    long length = 0;
    long more;
    while (length < MAX_FILE && (more = system_read((int)file, text + length, (size_t)(MAX_FILE - length))) > 0) {
        length += more;
    }
    system_close((int)file);
    return text;
}

static bool is_terminal(int file) {
    struct termios settings;
    return system_call(__NR_ioctl, file, TCGETS, (long)&settings, 0, 0, 0) == 0;
}

static unsigned columns(void) {
    struct winsize size = {0};
    return system_call(__NR_ioctl, 1, TIOCGWINSZ, (long)&size, 0, 0, 0) == 0 ? size.ws_col : 0;
}

/* Returns the value of a variable, or an empty text. */
static const char *variable(char **environment, const char *name) {
    for (; *environment != NULL; environment++) {
        const char *rest = text_after(*environment, name);
        if (rest != NULL && *rest == '=') {
            return rest + 1;
        }
    }
    return "";
}

/*
 * A user who can write to the archive controls what root runs. If that user invoked sudo, no warning is needed.
 */
static void warn_of_owner(const char *path, const char *home, char **environment) {
    struct stat file;
    if (system_call(__NR_getuid, 0, 0, 0, 0, 0, 0) != 0
            || system_call(__NR_stat, (long)path, (long)&file, 0, 0, 0, 0) != 0 || file.st_uid == 0) {
        return;
    }
    char *owner = text_number(file.st_uid);
    if (!text_equals(owner, variable(environment, "SUDO_UID"))) {
        SAY(home, " belongs to user id ", owner, ", who can change what root runs here [other-owner]");
    }
}

int run(char **arguments, char **environment) {
    char *home = own_path();
    if (home == NULL) {
        SAY("/proc, through which Mayfly reads processes, is not mounted: mount -t proc proc /proc [no-proc]");
        return 1;
    }
    char *path = JOIN(home);
    cut_last_name(home);
    if (!command_is_usable(home)) {
        SAY("the path of this folder, ", home,
            ", contains a colon, a semicolon or a dollar sign, which are special in a list of paths: move the folder"
            " [bad-folder]");
        return 1;
    }
    if (!has_folder()) {
        SAY("the current folder does not exist any more; cd to one that does [no-folder]");
        return 1;
    }
    warn_of_owner(path, home, environment);
    char *jars = contents(JOIN(home, "/app/classpath"));
    char *options = contents(JOIN(home, "/app/jvm-options"));
    if (jars == NULL || options == NULL) {
        SAY("the folder app beside ", path, " is incomplete: unpack the archive again [no-start]");
        return 1;
    }
    long cache = system_open(JOIN(home, "/app/mayfly.aot"));
    if (cache >= 0) {
        system_close((int)cache);
    }
    struct facts facts = {
        .home = home,
        .jars = jars,
        .options = options,
        .has_cache = cache >= 0,
        .out_is_terminal = is_terminal(1),
        .err_is_terminal = is_terminal(2),
        .columns = columns(),
    };
    char *program = command_program(home);
    long error = system_execve(program, command_arguments(&facts, arguments), command_environment(environment));
    SAY("cannot start ", program, ": ", error_text(-error), " [no-start]");
    return 1;
}
