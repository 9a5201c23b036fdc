/** Makes packages of an archive: for Debian, for RPM, an image for containers, and a bill of materials. */
@org.jspecify.annotations.NullMarked
package mayfly.packages;
