#!/bin/sh
# Builds a test in C with AddressSanitizer and UndefinedBehaviorSanitizer, and runs it.
#
# usage: sanitized.sh FOLDER NAME                 a test, ../c/NAME.c
#        sanitized.sh FOLDER fuzz/NAME            a fuzz target with its stored inputs
#        sanitized.sh FOLDER fuzz/NAME SECONDS    the same, then libFuzzer searches for new inputs for that time
#        sanitized.sh FOLDER fuzz/NAME keep       copies found inputs that increase the coverage to the stored inputs
#
# Programs and findings are written to FOLDER. JAVA_HOME names a JDK with headers. If the compiler or its run-time
# library is missing, the script prints the reason and ends with status 77.
set -eu
folder=$1
name=$2
seconds=${3:-}
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/../c" && pwd -P)
headers=${JAVA_HOME:?names no JDK}/include
wire=$here/../../../target/wire
golden=$here/../../../../wire/src/test/golden
program=$folder/$name${seconds:+-fuzzer}
cc=${CC:-gcc}
[ -z "$seconds" ] || cc=${CLANG:-clang}
sanitizers=address,undefined
entry=main
[ -z "$seconds" ] || sanitizers=fuzzer,$sanitizers entry=LLVMFuzzerTestOneInput

skip() {
    echo "$1"
    exit 77
}

mkdir -p "$(dirname "$program")"
[ -r "$wire/wire.h" ] || skip "no wire.h: build the module host first"
[ -r "$headers/jvmti.h" ] || skip "no jvmti.h in $headers"
command -v "$cc" >/dev/null 2>&1 || skip "no $cc"
sources="$here/$name.c"
case $name in
    *launch* | planted_*) ;;
    *) sources="$sources $here/doubles.c" ;;
esac
case $name/$seconds in
    fuzz/*/) sources="$sources $here/fuzz/replay.c" ;;
esac

# Succeeds if an empty program can be built.
has_sanitizers() {
    echo "int $entry(void) { return 0; }" >"$program-probe.c"
    "$cc" -fsanitize=$sanitizers -o "$program-probe" "$program-probe.c" >/dev/null 2>&1
}

# shellcheck disable=SC2086
"$cc" -std=c11 -Wall -Wextra -Wformat=2 -Werror -O1 -g -fno-omit-frame-pointer -fsanitize=$sanitizers \
    -fno-sanitize-recover=all -pthread -DGOLDEN="\"$golden\"" \
    -I"$wire" -I"$headers" -I"$headers/linux" -o "$program" $sources || {
    has_sanitizers || skip "$cc has no run-time library for -fsanitize=$sanitizers"
    exit 1
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
inputs=$here/$name-inputs
case $name/$seconds in
    fuzz/*/) exec "$program" "$inputs"/* ;;
    fuzz/*) ;;
    *) exec "$program" ;;
esac
found=$folder/corpus/$name
mkdir -p "$found" "$folder/findings/$name"
[ "$seconds" != keep ] || exec "$program" -set_cover_merge=1 -max_len=1024 "$inputs" "$found"
exec "$program" -max_total_time="$seconds" -timeout=10 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$name/" "$found" "$inputs"
