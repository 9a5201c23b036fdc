#!/bin/sh
# Compiles the programs of an archive, which need no C library: programs.sh FOLDER. Two runs write the same bytes.
set -eu

folder=$1
sources=$(CDPATH='' cd -P -- "$(dirname -- "$0")/../c" && pwd -P)
cc=${CC:-gcc}
if [ "$(uname -sm)" != "Linux x86_64" ] || ! command -v "$cc" >/dev/null 2>&1; then
    echo "mayfly: building the archive needs Linux on x86-64 and a C compiler: install the package gcc" \
        "[no-compiler]" >&2
    exit 1
fi

# The compiler must not replace loops with calls to memset or memcpy, because no C library is linked.
build() {
    output=$1
    shift
    (cd "$sources" && "$cc" -std=c11 -Wall -Wextra -Wformat=2 -Werror -Os -ffreestanding \
        -fno-tree-loop-distribute-patterns -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
        -fno-pic -no-pie -static -nostdlib -s -Wl,--build-id=none -Wl,-z,noexecstack -o "$output" "$@")
}

build "$folder/mayfly" launcher.c command.c text.c memory.c start.c
build "$folder/gate" gate.c text.c memory.c start.c
