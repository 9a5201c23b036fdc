/** Growing columns of numbers, without an object for each. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.column;
