#!/bin/sh
# Assembles the directory that the launcher runs, TARGET/app: the jars of the rooms, and the JVM's start-up cache.
# A rename creates the directory, so it is complete whenever it exists. If the cache cannot be created, it is left out.
#
# usage: assemble.sh TARGET CLI_JAR BUILD_STARTED
set -eu

target=$1
cli_jar=$2
build_started=$3
new=$target/app.new

rm -rf "$new" "$target/app.old"
mkdir -p "$new"
cp "$target"/jars/*.jar "$cli_jar" "$new"/

touch -d "$build_started" "$new/built" 2>/dev/null || touch "$new/built"
[ ! -e "$target/app" ] || mv "$target/app" "$target/app.old"
mv "$new" "$target/app"
rm -rf "$target/app.old"

# The cache is valid only for the path of the jars, so it is created after they have their final path, and a second
# rename adds it to the directory. The common commands are run to record the data for the cache. See JEP 514. That takes
# some seconds of CPU time, which can be minutes if other builds run beside this one.
root=$(dirname "$0")/../../../..
java=$(MAYFLY_PRINT_JAVA=1 "$root/mayfly") || java=
if [ -n "$java" ] && [ -z "${MAYFLY_NO_AOT:-}" ]; then
    work=$target/training
    rm -rf "$work"
    mkdir -p "$work"
    if ! { timeout 900 "$java" -XX:AOTCacheOutput="$work/mayfly.aot" \
        -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m -XX:-UsePerfData -Xlog:disable \
        --enable-native-access=mayfly.linux --module-path "$target/app" \
        --module mayfly.cli/mayfly.cli.Training "$work" >"$target/training.log" 2>&1 </dev/null \
        && mv "$work/mayfly.aot" "$target/app/mayfly.aot"; }; then
        echo "mayfly: the start-up cache could not be made, so Mayfly starts more slowly; see $target/training.log" >&2
    fi
    rm -rf "$work"
fi
