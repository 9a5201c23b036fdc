/* Runs a fuzz target on files, as libFuzzer does with the files named on its command line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static int run(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    size_t length = (size_t)ftell(file);
    uint8_t *bytes = malloc(length);
    rewind(file);
    size_t got = fread(bytes, 1, length, file);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, got);
    free(bytes);
    return got == length ? 0 : 1;
}

int main(int count, char **paths) {
    int failed = count > 1 ? 0 : 1;
    for (int i = 1; i < count; i++) {
        failed |= run(paths[i]);
    }
    return failed;
}
