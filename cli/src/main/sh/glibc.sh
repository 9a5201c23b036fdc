#!/bin/sh
# Copies the dynamic loader and the glibc of this machine into RUNTIME/glibc: those libraries that the Java runtime
# needs and does not have. They are not changed. Their licences, and the place of the source of glibc, go into LICENSES.
#
# usage: glibc.sh RUNTIME LICENSES
set -eu

runtime=$1
licenses=$2
folder=$runtime/glibc
say() {
    echo "mayfly: $* [no-glibc]" >&2
    exit 1
}

# Copies the licence of a library that is not part of glibc. Some JDKs need such libraries of their distribution. Where
# /lib is a link to /usr/lib, dpkg may list a file under either name.
copy_licence() {
    path=$(readlink -f "$1")
    package=$(dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}" 2>/dev/null) || package=
    text=/usr/share/doc/${package%%:*}/copyright
    [ -n "$package" ] && [ -r "$text" ] || say "the licence of $1, which this Java runtime needs, is not found: build" \
        "the archive with a JDK that has the library itself, such as Temurin"
    cat "$text" >"$licenses/$2.txt"
}

loader=$(readlink -f /lib64/ld-linux-x86-64.so.2) && [ -e "$loader" ] \
    || say "there is no glibc on this machine to put into the archive"
mkdir -p "$folder"
cp "$loader" "$folder/ld-linux-x86-64.so.2"

# The list has lines such as "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x7f...)".
LD_LIBRARY_PATH=$runtime/lib:$runtime/lib/server
export LD_LIBRARY_PATH
for file in "$runtime/bin/java" "$runtime"/lib/*.so "$runtime"/lib/server/*.so; do
    "$loader" --list "$file"
done | awk '$2 == "=>" && $1 !~ /\// { print $1, $3 }' | LC_ALL=C sort -u | while read -r name path; do
    case $path in
        "$runtime"/*) continue ;;
        /*) cp -L "$path" "$folder/$name" ;;
        *) say "the library $name, which the Java runtime needs, is not found: install the package that contains it" ;;
    esac
    case $name in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1) ;;
        *) copy_licence "$path" "$name" ;;
    esac
done
unset LD_LIBRARY_PATH
[ -e "$folder/libc.so.6" ] || say "the dynamic loader of this machine does not list the libraries of the Java runtime"
# glibc loads this library to look up a user's name if the nsswitch.conf of a host has the service compat. The library
# must be from the same build as glibc.
compat=$(dirname "$loader")/libnss_compat.so.2
[ ! -e "$compat" ] || cp -L "$compat" "$folder/"

ID=
PRETTY_NAME="this machine's distribution"
[ ! -r /etc/os-release ] || . /etc/os-release
# shellcheck disable=SC2016
version=$(dpkg-query -W -f '${source:Version}' libc6 2>/dev/null) || version=
case $ID in
    debian) place="Debian's source package glibc, version $version; Debian's snapshot archive keeps every version" ;;
    ubuntu) place="Ubuntu's source package glibc, version $version; Launchpad keeps every version" ;;
    *) place="the source package of glibc in $PRETTY_NAME" ;;
esac

# The licence files of Debian and of other distributions.
for text in /usr/share/doc/libc6/copyright /usr/share/licenses/glibc/LICENSES /usr/share/licenses/glibc/COPYING.LIB; do
    if [ -r "$text" ]; then
        {
            "$folder/ld-linux-x86-64.so.2" --version | head -n 1
            echo
            echo "The folder runtime/glibc has files of this version, unchanged. Other builds of it can replace them."
            echo "Source: $place"
            echo
            cat "$text"
            for named in LGPL-2.1 GPL-2; do
                [ ! -r "/usr/share/common-licenses/$named" ] || cat "/usr/share/common-licenses/$named"
            done
        } >"$licenses/glibc.txt"
        grep -q 'GNU LESSER GENERAL PUBLIC LICENSE' "$licenses/glibc.txt" \
            || say "the text of the LGPL, which an archive must have, is not in $text or /usr/share/common-licenses"
        exit 0
    fi
done
say "the licence of this machine's glibc is not found, and an archive must have it: install the package libc6"
