#!/bin/sh
# Makes the archive from TARGET/app: a Java runtime with the modules that Mayfly needs and a glibc to run it on, the
# rooms' jars, a start-up cache, the launcher, manual pages, completion scripts, and the licence of each part.
#
# Two runs from the same app write the same bytes except for the start-up cache, which differs in each run of the JVM:
# MAYFLY_NO_AOT leaves it out.
#
# usage: dist.sh TARGET VERSION
set -eu

target=$1
version=$2
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -P -- "$here/../../../.." && pwd -P)
java=$(MAYFLY_PRINT_JAVA=1 "$root/mayfly")
jdk=${java%/bin/java}
name=mayfly-$version
stage=$target/dist/$name
# All files get the time of the commit; outside of a repository, 1980-01-01, the first time that a zip file can have.
time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}

rm -rf "$target/dist"
mkdir -p "$stage/app" "$stage/licenses" "$stage/man/man1" "$stage/completion"
cp "$target"/app/*.jar "$stage/app"/
cp "$root/LICENSE" "$stage"/
cp "$root"/cli/src/main/licenses/* "$stage/licenses"/
cp "$root/cli/src/main/jvm-options" "$stage/app"/
sh "$here/programs.sh" "$stage"
mv "$stage/gate" "$stage/app"/

# The modules of the JDK that the jars require; jlink adds those that they require in turn.
modules=java.base$("$jdk/bin/java" --module-path "$stage/app" --dry-run --show-module-resolution \
    --module mayfly.cli/mayfly.cli.Main | awk '/ requires / && $1 !~ /^(java|jdk)\./ && $4 ~ /^jrt:/ { print "," $3 }' \
    | sort -u | tr -d '\n')
"$jdk/bin/jlink" --add-modules "$modules" --strip-java-debug-attributes --compress zip-6 --no-header-files \
    --no-man-pages --output "$stage/runtime"
printf '%s\n' "$modules" >"$stage/runtime/modules.txt"
# The archive is started by its launcher only.
rm -f "$stage/runtime/bin/keytool" "$stage/runtime/lib/jexec"
sh "$here/glibc.sh" "$stage/runtime" "$stage/licenses"

(cd "$stage/app" && LC_ALL=C ls ./*.jar | sed 's|^\./||') >"$stage/app/classpath"
# Before the training: the cache records the size and time of each jar, and is valid only for these values.
find "$stage" -exec touch -h -d "@$time" {} +
jars=$(sed "s|^|$stage/app/|" "$stage/app/classpath" | paste -sd : -)
# Runs Java with the loader and the libraries that the launcher uses, see command.c. The limit is for a JVM that hangs:
# what takes seconds of CPU time can take minutes if other builds run beside this one.
run() {
    timeout 900 "$stage/runtime/glibc/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$stage/runtime/glibc" \
        "$stage/runtime/bin/java" -Xlog:disable "-Dmayfly.archive=$stage" --enable-native-access=ALL-UNNAMED \
        -cp "$jars" "$@"
}
run mayfly.cli.ManPages "$stage/man/man1"
for shell in bash zsh fish; do
    run mayfly.cli.Main completion "$shell" >"$stage/completion/mayfly.$shell"
done
if [ -z "${MAYFLY_NO_AOT:-}" ]; then
    work=$target/training
    rm -rf "$work"
    mkdir -p "$work"
    if ! run -XX:AOTCacheOutput="$work/mayfly.aot" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m -XX:-UsePerfData \
        mayfly.cli.Training "$work" >"$target/training.log" 2>&1 </dev/null; then
        echo "mayfly: the start-up cache could not be made; see $target/training.log" >&2
        exit 1
    fi
    mv "$work/mayfly.aot" "$stage/app/mayfly.aot"
    rm -rf "$work"
fi

chmod -R u+w,go-w,a+rX "$stage"
archive=$target/dist/$name-linux-x86_64.tar.gz
tar -C "$target/dist" --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" \
    | gzip -9n >"$archive.part"
mv "$archive.part" "$archive"
