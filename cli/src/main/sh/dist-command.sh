#!/bin/sh
# mayfly dist: builds the archive of this checkout, and the packages of it, by the Maven profile "dist".
#
# usage: dist-command.sh CHECKOUT [ARGUMENT...]
set -eu

root=$1
shift
usage() {
    echo "mayfly: $*; see mayfly dist --help [usage]" >&2
    exit 2
}

only=tar,deb,rpm,oci,sbom
case $#:${1-} in
    0:) ;;
    1:-h | 1:--help)
        cat <<'END'
Usage: mayfly dist [--only KINDS]
Make an archive of this checkout, and packages with the same files, in cli/target/dist:
  tar    mayfly-VERSION-linux-x86_64.tar.gz, the archive. It has a Java runtime and a glibc of its own: unpack it on any
         Linux on x86-64 and run the file mayfly in it.
  deb    a package for Debian and its descendants
  rpm    a package for Fedora, its descendants, and SUSE
  oci    an image for containers, as a tar file of an OCI image layout
  sbom   a bill of materials in the format of CycloneDX
--only selects kinds, separated by commas; the archive is always made. The command exists only in a checkout, and needs
Maven, gcc and JDK 25.
END
        exit 0 ;;
    1:--only=*) only=${1#--only=} ;;
    2:--only) only=$2 ;;
    *) usage "dist takes only --only KINDS, not $*" ;;
esac

# The module "packages" makes all kinds except the archive.
module=cli
packages=
rest=$only,
while [ -n "$rest" ]; do
    kind=${rest%%,*}
    rest=${rest#*,}
    case $kind in
        tar) ;;
        deb | rpm | oci | sbom)
            module=packages
            packages=${packages:+$packages,}$kind ;;
        *) usage "there is no kind \"$kind\"; use tar, deb, rpm, oci or sbom" ;;
    esac
done

if ! command -v mvn >/dev/null 2>&1; then
    echo "mayfly: there is no Maven to build the archive with: install the package maven [no-maven]" >&2
    exit 1
fi
echo "mayfly: building the archive; this takes about two minutes" >&2
cd "$root"
mvn -B -q -Dstyle.color=never -Dquick -DskipTests -Pdist -pl "$module" -am \
    -Dmayfly.packages="$packages" package </dev/null >&2 || {
    echo "mayfly: the build failed; its messages are above [build-failed]" >&2
    exit 1
}
for file in "$root"/cli/target/dist/mayfly*; do
    [ ! -f "$file" ] || echo "$file"
done
