/* The messages of the trigger that runs inside the target, over a pair of sockets. */
#define _GNU_SOURCE
#include "../../main/c/clock.h"

/* Double: there is no clock, so no deadline expires. */
static uint64_t planted_now(void) {
    return 0;
}

#define now_boottime planted_now
#include "../../main/launch/trigger.c"
#undef now_boottime

#include "check.h"
#include "golden.h"

#include <stdarg.h>

static char said[2048];

void launch_say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
}

static void attachHasTheGoldenBytes(void) {
    int pair[2];
    uint8_t sent[512];
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    struct launch launch = {.attach = message + MESSAGE_SIZE_HEAD,
        .attach_length = (uint32_t)length - MESSAGE_SIZE_HEAD};
    uint8_t *whole = golden_read("attach.bin", &length);
    memset(message + MESSAGE_SIZE_HEAD + ATTACH_OFFSET_DEADLINE, 0, 8);
    CHECK(length <= sizeof sent && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(trigger_send_attach(pair[0], &launch, 0x0102030405060708));
    CHECK(recv(pair[1], sent, length, MSG_WAITALL) == (ssize_t)length && memcmp(sent, whole, length) == 0);
    close(pair[0]);
    close(pair[1]);
    free(message);
    free(whole);
}

static void theGoldenResultIsReported(void) {
    int pair[2];
    size_t length;
    uint8_t *message = golden_read("result.bin", &length);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(send(pair[1], message, length, 0) == (ssize_t)length);
    CHECK(trigger_receive_result(pair[0], 1) && strcmp(said, "no room") == 0);
    close(pair[0]);
    close(pair[1]);
    free(message);
}

static void aMessageOfAnotherTypeIsRefusedAsResult(void) {
    int pair[2];
    size_t length;
    uint8_t *message = golden_read("result.bin", &length);
    message[4] = MESSAGE_TYPE_REPLY;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(send(pair[1], message, length, 0) == (ssize_t)length);
    CHECK(!trigger_receive_result(pair[0], 1) && errno == EPROTO);
    close(pair[0]);
    close(pair[1]);
    free(message);
}

int main(void) {
    RUN(attachHasTheGoldenBytes);
    RUN(theGoldenResultIsReported);
    RUN(aMessageOfAnotherTypeIsRefusedAsResult);
}
