/** The counterpart of the launcher: how it started this JVM, and how to start programs as it does. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.launcher;
