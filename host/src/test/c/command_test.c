/* Diagnostic commands to the JVM's attach listener, which here is a thread or a child of the test. */
#include "../../main/c/command.c"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

static bool others;             /* the listener belongs to another JVM */
static int listening = -1;
static struct sockaddr_un name = {.sun_family = AF_UNIX};
static char request[256];       /* as the listener received it */
static size_t request_length;
static const char *reply;       /* the listener's answer */
static size_t reply_length;

bool listener_is_others(void) {
    return others;
}

static void begin(void) {
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/.java_pid%d", (int)getpid());
    unlink(name.sun_path);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listening, (struct sockaddr *)&name, sizeof name) == 0 && listen(listening, 5) == 0);
}

static void end(void) {
    close(listening);
    unlink(name.sun_path);
}

/* Reads the five parts of a request, sends the answer and closes the connection, as the JVM does. */
static void *serve_once(void *unused) {
    int fd = accept(listening, NULL, NULL);
    int zeros = 0;
    for (request_length = 0; zeros < 5 && request_length < sizeof request; request_length++) {
        CHECK(recv(fd, request + request_length, 1, 0) == 1);
        zeros += request[request_length] == 0;
    }
    CHECK(send(fd, reply, reply_length, MSG_NOSIGNAL) == (ssize_t)reply_length);
    close(fd);
    return unused;
}

static enum command_outcome outcome_of(const char *answer, size_t length) {
    pthread_t listener;
    reply = answer;
    reply_length = length;
    begin();
    CHECK(pthread_create(&listener, NULL, serve_once, NULL) == 0);
    enum command_outcome outcome = command_run("GC.run");
    CHECK(pthread_join(listener, NULL) == 0);
    end();
    return outcome;
}

static void aRequestHasFivePartsThatEndWithAZero(void) {
    static const char expected[] = "1\0jcmd\0GC.run\0\0";
    CHECK(outcome_of("0\n", 2) == COMMAND_DONE);
    CHECK(request_length == sizeof expected && memcmp(request, expected, sizeof expected) == 0);
}

static void eachAnswerHasItsOutcome(void) {
    static char without_end[8192];
    static char with_text[8192] = "0\nand more text than the host reads";
    memset(without_end, '0', sizeof without_end);
    CHECK(outcome_of("0\nCommand executed successfully\n", 33) == COMMAND_DONE);
    CHECK(outcome_of(with_text, sizeof with_text) == COMMAND_DONE);
    CHECK(outcome_of("1\njava.lang.IllegalArgumentException\n", 37) == COMMAND_REFUSED);
    CHECK(outcome_of("00\n", 3) == COMMAND_REFUSED);
    CHECK(outcome_of("\n", 1) == COMMAND_REFUSED);
    CHECK(outcome_of("", 0) == COMMAND_UNANSWERED);
    CHECK(outcome_of("0", 1) == COMMAND_UNANSWERED);
    CHECK(outcome_of(without_end, sizeof without_end) == COMMAND_UNANSWERED);
}

static void aCommandWithoutAListenerIsNotSent(void) {
    CHECK(command_run("GC.run") == COMMAND_NOT_SENT);
}

static void aCommandIsNotSentToTheListenerOfAnotherJvm(void) {
    begin();
    others = true;
    CHECK(command_run("GC.run") == COMMAND_NOT_SENT);
    CHECK(fcntl(listening, F_SETFL, O_NONBLOCK) == 0 && accept(listening, NULL, NULL) < 0 && errno == EAGAIN);
    others = false;
    end();
}

static void aCommandThatIsTooLongIsNotSent(void) {
    char command[300];
    memset(command, 'x', sizeof command - 1);
    command[sizeof command - 1] = 0;
    begin();
    CHECK(command_run(command) == COMMAND_NOT_SENT);
    end();
}

/* Another process may have put its own socket at the path. */
static void aCommandIsNotSentToAnotherProcess(void) {
    char path[sizeof name.sun_path];
    int ready[2];
    CHECK(pipe(ready) == 0);
    snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)getpid());
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct sockaddr_un mine = {.sun_family = AF_UNIX};
        memcpy(mine.sun_path, path, sizeof path);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        bool open = bind(fd, (struct sockaddr *)&mine, sizeof mine) == 0 && listen(fd, 1) == 0;
        ssize_t ignored = write(ready[1], &open, sizeof open);
        (void)ignored;
        int client = accept(fd, NULL, NULL);
        char byte;
        _exit(client >= 0 && recv(client, &byte, 1, 0) == 0 ? 0 : 1);     /* closed without a request */
    }
    bool open;
    int status;
    CHECK(read(ready[0], &open, sizeof open) == sizeof open && open);
    CHECK(command_run("GC.run") == COMMAND_NOT_SENT);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(ready[0]);
    close(ready[1]);
    unlink(path);
}

/* Answers of the JVM to a command whose text is returned. */
static void theTextOfAnAnswerIsReturned(void) {
    static char large[200000] = "0\n";
    pthread_t listener;
    char *text = NULL;
    size_t length = 0;
    memset(large + 2, 'x', sizeof large - 2);
    reply = large;
    reply_length = sizeof large;
    begin();
    CHECK(pthread_create(&listener, NULL, serve_once, NULL) == 0);
    CHECK(command_ask("GC.class_histogram", 10, &text, &length) == COMMAND_DONE);
    CHECK(pthread_join(listener, NULL) == 0);
    CHECK(length == sizeof large - 2 && memcmp(text, large + 2, length) == 0);
    free(text);
    end();
}

static void aRefusalHasNoText(void) {
    pthread_t listener;
    char *text = NULL;
    size_t length = 0;
    reply = "1\nno";
    reply_length = 4;
    begin();
    CHECK(pthread_create(&listener, NULL, serve_once, NULL) == 0);
    CHECK(command_ask("GC.class_histogram", 10, &text, &length) == COMMAND_REFUSED && text == NULL);
    CHECK(pthread_join(listener, NULL) == 0);
    end();
    CHECK(command_ask("GC.class_histogram", 10, &text, &length) == COMMAND_NOT_SENT && text == NULL);
}

int main(void) {
    RUN(theTextOfAnAnswerIsReturned);
    RUN(aRefusalHasNoText);
    RUN(aCommandWithoutAListenerIsNotSent);
    RUN(aRequestHasFivePartsThatEndWithAZero);
    RUN(eachAnswerHasItsOutcome);
    RUN(aCommandIsNotSentToTheListenerOfAnotherJvm);
    RUN(aCommandThatIsTooLongIsNotSent);
    RUN(aCommandIsNotSentToAnotherProcess);
}
