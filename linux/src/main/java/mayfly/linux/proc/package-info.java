/** Files of /proc and /sys, parsed with bounds. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.proc;
