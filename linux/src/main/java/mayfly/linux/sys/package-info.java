/** System calls, one class for each. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.sys;
