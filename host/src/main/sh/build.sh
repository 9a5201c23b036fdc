#!/bin/sh
# Compiles a library for a target: build.sh SOURCES OUTPUT WIRE [FILE...]. WIRE is the folder with the generated
# headers, and each FILE a source outside of SOURCES, or an option of the compiler. Without a compiler or the headers of
# JDK 21 or later, the build continues without the library, and `mayfly attach` reports that it is missing.
set -eu
sources=$1
output=$2
wire=$3
shift 3
cc=${CC:-gcc}
if [ "$(uname -sm)" != "Linux x86_64" ] || ! command -v "$cc" >/dev/null 2>&1; then
    echo "host: no C compiler for Linux on x86-64: built without the host's library" >&2
    exit 0
fi
headers=
for jdk in "${JAVA_HOME:-}" /usr/lib/jvm/* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/*; do
    # Earlier headers have no virtual threads.
    if [ -n "$jdk" ] && [ -r "$jdk/include/linux/jni_md.h" ] \
            && grep -qs can_support_virtual_threads "$jdk/include/jvmti.h"; then
        headers=$jdk/include
        break
    fi
done
if [ -z "$headers" ]; then
    echo "host: no JDK 21 or later with jvmti.h: built without the host's library" >&2
    exit 0
fi
# Two of the libraries share headers, so a newer file of either one counts.
if [ -e "$output" ] && [ -z "$(find "$(dirname "$sources")" "$wire" -newer "$output" -type f)" ]; then
    exit 0
fi
mkdir -p "$(dirname "$output")"
# All symbols are bound when the library is loaded, so that no later call enters the dynamic linker.
"$cc" -std=c11 -Wall -Wextra -Wformat=2 -Wmissing-prototypes -Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
    -fstack-protector-strong -g -fPIC -fvisibility=hidden -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
    -Wl,-z,defs \
    -I"$wire" -I"$headers" -I"$headers/linux" -o "$output.part" "$sources"/*.c "$@"
mv "$output.part" "$output"
