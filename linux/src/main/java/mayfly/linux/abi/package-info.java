/** The properties of a CPU in the interfaces of Linux, as data. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.abi;
