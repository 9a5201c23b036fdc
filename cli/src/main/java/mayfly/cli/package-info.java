/** The commands: the only main, the only printing, the only exit codes. */
@org.jspecify.annotations.NullMarked
package mayfly.cli;
