/* The command and the environment that the launcher of an archive passes to the JVM. */
#define _GNU_SOURCE
#include "../../main/c/command.c"
#include "../../main/c/text.c"

#include "../../../../host/src/test/c/check.h"

#include <string.h>

void *allocate(size_t size) {
    void *memory = calloc(1, size);
    CHECK(memory != NULL);
    return memory;
}

static char said[1000];

void say(const char *line) {
    snprintf(said, sizeof said, "%s", line);
}

/* A copy of the exact size, to detect a read beyond its end. */
#define COPY(text) strdup(text)

static struct facts facts(void) {
    return (struct facts){
        .home = COPY("/opt/a folder"),
        .jars = COPY("one.jar\ntwo.jar\n"),
        .options = COPY("-Xlog:disable\n-Xms24m\n"),
        .has_cache = true,
        .out_is_terminal = true,
        .columns = 80,
    };
}

static char **given(const char *first, const char *second) {
    char **arguments = allocate(4 * sizeof *arguments);
    arguments[0] = COPY("./mayfly");
    arguments[1] = first == NULL ? NULL : COPY(first);
    arguments[2] = second == NULL ? NULL : COPY(second);
    return arguments;
}

static bool equals(char **list, const char *const *expected) {
    size_t i = 0;
    for (; list[i] != NULL && expected[i] != NULL; i++) {
        if (strcmp(list[i], expected[i]) != 0) {
            fprintf(stderr, "%zu: %s, not %s\n", i, list[i], expected[i]);
            return false;
        }
    }
    return list[i] == NULL && expected[i] == NULL;
}

static bool contains(char **list, const char *wanted) {
    for (; *list != NULL; list++) {
        if (strcmp(*list, wanted) == 0) {
            return true;
        }
    }
    return false;
}

static void theLoaderStartsJavaWithTheOptionsAndTheClassPath(void) {
    struct facts found = facts();
    CHECK(equals(command_arguments(&found, given("record", "a b")), (const char *const[]){
        "/opt/a folder/runtime/glibc/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path",
        "/opt/a folder/runtime/glibc", "/opt/a folder/runtime/bin/java",
        "-XX:AOTCache=/opt/a folder/app/mayfly.aot", "-Xlog:disable", "-Xms24m", "-Xmx96m",
        "-Djdk.lang.Process.launchMechanism=FORK", "-Dmayfly.archive=/opt/a folder", "-Dmayfly.stdout.tty=true",
        "-Dmayfly.columns=80", "-Dmayfly.stderr.tty=false", "--enable-native-access=ALL-UNNAMED", "-cp",
        "/opt/a folder/app/one.jar:/opt/a folder/app/two.jar", "mayfly.cli.Main", "record", "a b", NULL,
    }));
}

static void aMissingCacheIsNotPassed(void) {
    struct facts found = facts();
    found.has_cache = false;
    char **arguments = command_arguments(&found, given(NULL, NULL));
    for (char **each = arguments; *each != NULL; each++) {
        CHECK(strstr(*each, "AOTCache") == NULL);
    }
}

static void anAuditAndADumpWithVirtualThreadsGetALargerHeap(void) {
    struct facts found = facts();
    CHECK(contains(command_arguments(&found, given("audit", NULL)), "-Xmx512m"));
    CHECK(contains(command_arguments(&found, given("audits", NULL)), "-Xmx96m"));
    CHECK(contains(command_arguments(&found, given("ps", "audit")), "-Xmx96m"));
    CHECK(contains(command_arguments(&found, given("stack", "--virtual")), "-Xmx768m"));
    CHECK(contains(command_arguments(&found, given("stack", NULL)), "-Xmx96m"));
    CHECK(contains(command_arguments(&found, given("ps", "--virtual")), "-Xmx96m"));
}

static void anUnknownWidthIs100Columns(void) {
    struct facts found = facts();
    found.columns = 0;
    CHECK(contains(command_arguments(&found, given(NULL, NULL)), "-Dmayfly.columns=100"));
}

static void emptyLinesOfTheListsAreIgnored(void) {
    struct facts found = facts();
    found.jars = COPY("\n\none.jar\n\ntwo.jar");
    found.options = COPY("");
    char **arguments = command_arguments(&found, given(NULL, NULL));
    CHECK(contains(arguments, "/opt/a folder/app/one.jar:/opt/a folder/app/two.jar"));
    CHECK(!contains(arguments, ""));
    found.jars = COPY("\n");
    CHECK(contains(command_arguments(&found, given(NULL, NULL)), ""));
}

static void anArchiveInTheRootDirectoryIsStarted(void) {
    struct facts found = facts();
    found.home = COPY("");
    char **arguments = command_arguments(&found, given(NULL, NULL));
    CHECK(contains(arguments, "-Dmayfly.archive=/"));
    CHECK(contains(arguments, "/app/one.jar:/app/two.jar"));
    CHECK(contains(arguments, "/runtime/bin/java"));
}

static void programWithoutArgumentsIsStarted(void) {
    struct facts found = facts();
    char *none[] = {NULL};
    CHECK(contains(command_arguments(&found, none), "mayfly.cli.Main"));
}

static void variablesOfTheUsersProgramsAreKeptUnderOtherNames(void) {
    char *variables[] = {
        COPY("HOME=/root"), COPY("JAVA_TOOL_OPTIONS=-Dx='a b'"), COPY("JDK_JAVA_OPTIONS="), COPY("_JAVA_OPTIONS=-Xint"),
        COPY("LD_PRELOAD=/x.so"), COPY("LD_LIBRARY_PATH=/l"), COPY("LD_AUDIT=/a.so"), NULL,
    };
    CHECK(equals(command_environment(variables), (const char *const[]){
        "HOME=/root", "MAYFLY_KEPT_JAVA_TOOL_OPTIONS=-Dx='a b'", "MAYFLY_KEPT__JAVA_OPTIONS=-Xint",
        "MAYFLY_KEPT_LD_PRELOAD=/x.so", "MAYFLY_KEPT_LD_LIBRARY_PATH=/l", "MAYFLY_KEPT_LD_AUDIT=/a.so", NULL,
    }));
}

static void similarNamesAreNotKept(void) {
    char *variables[] = {COPY("LD_PRELOADS=1"), COPY("XLD_PRELOAD=1"), COPY("LD_PRELOAD"), COPY(""), COPY("="), NULL};
    CHECK(equals(command_environment(variables),
                 (const char *const[]){"LD_PRELOADS=1", "XLD_PRELOAD=1", "LD_PRELOAD", "", "=", NULL}));
}

static void variablesKeptByAnotherMayflyAreDropped(void) {
    char *variables[] = {COPY("MAYFLY_KEPT_JAVA_TOOL_OPTIONS=-Da=old"), COPY("MAYFLY_DEBUG=1"), NULL};
    CHECK(equals(command_environment(variables), (const char *const[]){"MAYFLY_DEBUG=1", NULL}));
}

static void foldersThatDivideAListAreNotUsable(void) {
    CHECK(command_is_usable("/opt/a folder (1)"));
    CHECK(command_is_usable(""));
    CHECK(!command_is_usable("/opt/a:b"));
    CHECK(!command_is_usable("/opt/a;b"));
    CHECK(!command_is_usable("/opt/$LIB"));
}

static void textFunctionsCompareAndFormat(void) {
    CHECK(text_equals("", "") && text_equals("ab", "ab"));
    CHECK(!text_equals("ab", "a") && !text_equals("a", "ab"));
    CHECK(text_after("abc", "ab")[0] == 'c' && text_after("a", "ab") == NULL);
    CHECK(strcmp(text_number(0), "0") == 0 && strcmp(text_number(18446744073709551615ul), "18446744073709551615") == 0);
    CHECK(strcmp(error_text(2), "no such file") == 0 && strcmp(error_text(4095), "error 4095") == 0);
    SAY("a", "b");
    CHECK(strcmp(said, "mayfly: ab\n") == 0);
}

int main(void) {
    RUN(theLoaderStartsJavaWithTheOptionsAndTheClassPath);
    RUN(aMissingCacheIsNotPassed);
    RUN(anAuditAndADumpWithVirtualThreadsGetALargerHeap);
    RUN(anUnknownWidthIs100Columns);
    RUN(emptyLinesOfTheListsAreIgnored);
    RUN(anArchiveInTheRootDirectoryIsStarted);
    RUN(programWithoutArgumentsIsStarted);
    RUN(variablesOfTheUsersProgramsAreKeptUnderOtherNames);
    RUN(similarNamesAreNotKept);
    RUN(variablesKeptByAnotherMayflyAreDropped);
    RUN(foldersThatDivideAListAreNotUsable);
    RUN(textFunctionsCompareAndFormat);
}
