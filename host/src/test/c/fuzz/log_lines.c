/* Any bytes as the JVM's log: each line is a valid event or counts as lost. */
#include "../../../main/c/suspensions.c"

#include "../check.h"
#include "../doubles.h"

static void check_event(void) {
    if (queued != NULL) {
        CHECK(queued->kind == UPCALL_KIND_RUNTIME_SUSPENDED && queued->text[0] != NULL
                && strlen(queued->text[0]) < MAX_LINE);
        CHECK(queued->numbers[0] >= 0 && queued->numbers[1] >= 0 && queued->numbers[1] <= queued->numbers[2]);
        CHECK(strchr(queued->text[0], '"') == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        safepoint_take((char)bytes[i]);
        CHECK(safepoint_line_length < sizeof safepoint_line);
        if (bytes[i] == '\n') {
            check_event();
        }
    }
    safepoint_take('\n');
    check_event();
    queued_free();
    return 0;
}
