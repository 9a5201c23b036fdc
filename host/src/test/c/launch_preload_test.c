/* The library that adds the option of the launch library to JAVA_TOOL_OPTIONS if the launch library can be opened. */
#define _GNU_SOURCE
#include "../../main/preload/preload.c"

#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/preload-test-XXXXXX";
static char self_path[64];
static char launch_path[64];

static void begin(const char *preload) {
    CHECK(setenv("LD_PRELOAD", preload, 1) == 0);
    unsetenv(VARIABLE);
}

static void begin_folder(void) {
    CHECK(mkdtemp(directory) != NULL);
    snprintf(self_path, sizeof self_path, "%s" SELF, directory);
    snprintf(launch_path, sizeof launch_path, "%s" LAUNCH_LIBRARY, directory);
    int fd = open(launch_path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
}

static const char *expected(const char *before) {
    static char text[512];
    snprintf(text, sizeof text, "%s-agentpath:%s=%s" LAUNCH_FILE, before, launch_path, directory);
    return text;
}

static void theOptionIsAddedToTheUsersValue(void) {
    begin(self_path);
    CHECK(strcmp(getenv(VARIABLE), expected("")) == 0);
    CHECK(setenv(VARIABLE, "-Xmx1g", 1) == 0);
    CHECK(strcmp(getenv(VARIABLE), expected("-Xmx1g ")) == 0);
    CHECK(strcmp(secure_getenv(VARIABLE), "-Xmx1g") == 0);
}

static void theLibraryIsFoundAmongOthers(void) {
    char names[256];
    snprintf(names, sizeof names, "/a.so:%s /b.so", self_path);
    begin(names);
    CHECK(strcmp(getenv(VARIABLE), expected("")) == 0);
}

static void otherVariablesAreThoseOfTheEnvironment(void) {
    begin(self_path);
    CHECK(setenv("JAVA_TOOL_OPTION", "a", 1) == 0 && setenv("JAVA_TOOL_OPTIONS2", "b", 1) == 0);
    CHECK(strcmp(getenv("JAVA_TOOL_OPTION"), "a") == 0 && strcmp(getenv("JAVA_TOOL_OPTIONS2"), "b") == 0);
    CHECK(getenv("MAYFLY_UNSET") == NULL && getenv("") == NULL);
}

static void withoutItsNameTheValueIsTheUsers(void) {
    static const char *const names[] = {"", "/a.so", SELF, "/x/libmayflypreload.so2", "libmayflypreload.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        begin(names[i]);
        CHECK(getenv(VARIABLE) == NULL);
        CHECK(setenv(VARIABLE, "x", 1) == 0 && strcmp(getenv(VARIABLE), "x") == 0);
    }
    unsetenv("LD_PRELOAD");
    CHECK(strcmp(getenv(VARIABLE), "x") == 0);
}

static void aValueWithoutRoomForTheOptionIsTheUsers(void) {
    static char large[MAX_VALUE];
    memset(large, 'x', sizeof large - 1);
    begin(self_path);
    CHECK(setenv(VARIABLE, large, 1) == 0 && strcmp(getenv(VARIABLE), large) == 0);
    static char folder[2 * PATH_MAX];
    memset(folder, '/', sizeof folder - 1);
    strcpy(folder + sizeof folder - sizeof SELF, SELF);
    begin(folder);
    CHECK(getenv(VARIABLE) == NULL);
}

static void aLaunchLibraryThatCannotBeOpenedIsNotNamed(void) {
    CHECK(unlink(launch_path) == 0);
    begin(self_path);
    CHECK(getenv(VARIABLE) == NULL);
    CHECK(setenv(VARIABLE, "x", 1) == 0 && strcmp(getenv(VARIABLE), "x") == 0);
    CHECK(rmdir(directory) == 0);
}

int main(void) {
    begin_folder();
    RUN(theOptionIsAddedToTheUsersValue);
    RUN(theLibraryIsFoundAmongOthers);
    RUN(otherVariablesAreThoseOfTheEnvironment);
    RUN(withoutItsNameTheValueIsTheUsers);
    RUN(aValueWithoutRoomForTheOptionIsTheUsers);
    RUN(aLaunchLibraryThatCannotBeOpenedIsNotNamed);
}
