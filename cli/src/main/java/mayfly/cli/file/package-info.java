/** Files that commands write: each appears complete or not at all. Renderings of large captures in a child JVM. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.file;
