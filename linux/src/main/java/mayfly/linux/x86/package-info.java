/** The properties of x86-64 in the interfaces of Linux. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.x86;
