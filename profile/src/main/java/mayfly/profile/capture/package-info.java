/** The capture format: its writer and its reader. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture;
