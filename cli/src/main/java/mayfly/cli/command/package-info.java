/** The commands, one class for each. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.command;
