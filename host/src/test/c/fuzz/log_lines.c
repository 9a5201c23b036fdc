/* Any bytes as the JVM's log: each line is a valid event or counts as lost. */
#include "../../../main/c/vmlog.c"

#include "../check.h"
#include "../doubles.h"

static void check_event(void) {
    CHECK(queued == NULL || (queued->text[0] != NULL && strlen(queued->text[0]) < MAX_LINE));
    if (queued != NULL && queued->kind == UPCALL_KIND_LOG_LINE) {
        CHECK(queued->numbers[0] > 0);
        CHECK(queued->numbers[1] >= LOG_TOPIC_COLLECTION && queued->numbers[1] <= LOG_TOPIC_MODULE);
    } else if (queued != NULL) {
        CHECK(queued->kind == UPCALL_KIND_RUNTIME_SUSPENDED);
        CHECK(queued->numbers[0] >= 0 && queued->numbers[1] >= 0 && queued->numbers[1] <= queued->numbers[2]);
        CHECK(strchr(queued->text[0], '"') == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        vmlog_take((char)bytes[i]);
        CHECK(vmlog_length < sizeof vmlog_text);
        if (bytes[i] == '\n') {
            check_event();
        }
    }
    vmlog_take('\n');
    check_event();
    queued_free();
    return 0;
}
