/** Growing columns of numbers and tables with numbers as keys, without an object for each number. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.column;
