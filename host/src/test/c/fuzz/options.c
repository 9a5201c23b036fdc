/* Any text as the options of the host library: fully parsed or refused. */
#include "../../../main/c/agent.c"

#include "../check.h"

static void check_understood(const char *text, uint64_t library) {
    char again[256];
    const char *letters = strchr(text + 35, ',') + 1;
    int length = snprintf(again, sizeof again, "1,");
    for (size_t i = 0; i < sizeof host.request; i++) {
        length += snprintf(again + length, sizeof again - (size_t)length, "%02x", host.request[i]);
    }
    CHECK(strncmp(text, again, (size_t)length) == 0);
    CHECK(host.deadline == strtoull(text + 35, NULL, 10)
            && strspn(text + 35, "0123456789") == (size_t)(letters - 1 - (text + 35)));
    size_t count = strspn(letters, "ldo-");
    CHECK(count > 0 && (letters[count] == 0) == (library == 0));
    if (library != 0) {
        CHECK(strtoull(letters + count + 1, NULL, 16) == library);
        CHECK(strspn(letters + count + 1, "0123456789abcdef") == strlen(letters + count + 1));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    char *text = malloc(length + 1);
    uint64_t library = 0;
    if (length > 0) {
        memcpy(text, bytes, length);
    }
    text[length] = 0;
    if (parse_options(text, &library)) {
        check_understood(text, library);
    }
    free(text);
    return 0;
}
