#!/bin/sh
# Builds the test of the archive's launcher, ../c/command_test.c, with AddressSanitizer and UndefinedBehaviorSanitizer,
# and runs it. If the compiler or its run-time library is missing, the script prints the reason and ends with status 77.
#
# usage: sanitized.sh FOLDER
set -eu
folder=$1
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/../c" && pwd -P)
cc=${CC:-gcc}

skip() {
    echo "$1"
    exit 77
}

command -v "$cc" >/dev/null 2>&1 || skip "no $cc"
echo "int main(void) { return 0; }" >"$folder/probe.c"
"$cc" -fsanitize=address,undefined -o "$folder/probe" "$folder/probe.c" >/dev/null 2>&1 \
    || skip "$cc has no run-time library for -fsanitize=address,undefined"
"$cc" -std=c11 -Wall -Wextra -Wformat=2 -Werror -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
    -fno-sanitize-recover=all -o "$folder/command_test" "$here/command_test.c"
# The launcher never releases memory, because it becomes another program.
ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    exec "$folder/command_test"
