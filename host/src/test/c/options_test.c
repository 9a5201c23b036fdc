/* The options of the host library, docs/formats/host-channel.md. */
#include "../../main/c/agent.c"

#include "check.h"

#define REQUEST "00112233445566778899aabbccddeeff"

static uint64_t library;

static bool parses(const char *text) {
    /* A copy of the exact size, to detect a read beyond its end. */
    char *copy = strdup(text);
    library = 0;
    bool parsed = parse_options(copy, &library);
    free(copy);
    return parsed;
}

static void completeOptionsAreParsed(void) {
    CHECK(parses("1," REQUEST ",123456789,-"));
    CHECK(host.request[0] == 0x00 && host.request[1] == 0x11 && host.request[15] == 0xff);
    CHECK(host.deadline == 123456789);
    CHECK(!host.stop_listener && !host.remaining_classes_accepted && !host.listener_is_others && library == 0);
}

/* Returns true if the options are accepted and set the flags of exactly these letters. */
static bool sets(const char *text, const char *letters) {
    return parses(text) && host.stop_listener == (strchr(letters, 'l') != NULL)
        && host.remaining_classes_accepted == (strchr(letters, 'd') != NULL)
        && host.listener_is_others == (strchr(letters, 'o') != NULL);
}

static void eachLetterSetsItsOwnFlag(void) {
    CHECK(sets("1," REQUEST ",1,l", "l"));
    CHECK(sets("1," REQUEST ",1,d", "d"));
    CHECK(sets("1," REQUEST ",1,o", "o"));
    CHECK(sets("1," REQUEST ",1,ldo", "ldo"));
}

static void theAddressOfALibraryIsHexadecimal(void) {
    CHECK(parses("1," REQUEST ",1,-,7f0012345000") && library == 0x7f0012345000);
    CHECK(!parses("1," REQUEST ",1,-,"));
    CHECK(!parses("1," REQUEST ",1,-,0"));
    CHECK(!parses("1," REQUEST ",1,-,7f00 "));
    CHECK(!parses("1," REQUEST ",1,-,7f00,1"));
    CHECK(!parses("1," REQUEST ",1,-,-1"));
    CHECK(!parses("1," REQUEST ",1,-, 1"));
    CHECK(!parses("1," REQUEST ",1,-,0x10"));
    CHECK(!parses("1," REQUEST ",1,-,10000000000000000"));
}

static void otherTextsAreRefused(void) {
    CHECK(!parse_options(NULL, &library));
    static const char *const texts[] = {
        "", "1", "1,", "2," REQUEST ",1,-", "1," REQUEST, "1," REQUEST ",", "1," REQUEST ",1", "1," REQUEST ",1,",
        "1," REQUEST ",,l", "1," REQUEST ",x,l", "1," REQUEST ",1,x", "1," REQUEST ",1,lx", "1," REQUEST "0,1,-",
        "1,00112233445566778899AABBCCDDEEFF,1,-", "1,00112233445566778899aabbccddeef,1,-",
        "1," REQUEST ",18446744073709551616,-",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(!parses(texts[i]));
    }
}

static void aDeadlineHasNoSignAndNoBlank(void) {
    CHECK(!parses("1," REQUEST ",-1,-"));
    CHECK(!parses("1," REQUEST ",+1,-"));
    CHECK(!parses("1," REQUEST ", 1,-"));
}

static void optionsOfMoreThan200BytesAreRefused(void) {
    char text[300];
    int length = snprintf(text, sizeof text, "1," REQUEST ",1,");
    memset(text + length, 'l', sizeof text - 1 - (size_t)length);
    text[201] = 0;
    CHECK(!parses(text));
    text[200] = 0;
    CHECK(parses(text));
}

int main(void) {
    RUN(completeOptionsAreParsed);
    RUN(eachLetterSetsItsOwnFlag);
    RUN(theAddressOfALibraryIsHexadecimal);
    RUN(otherTextsAreRefused);
    RUN(aDeadlineHasNoSignAndNoBlank);
    RUN(optionsOfMoreThan200BytesAreRefused);
}
