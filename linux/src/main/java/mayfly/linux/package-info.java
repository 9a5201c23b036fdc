/** The only module with native access: one small class per kernel interface, and the live process built from them. */
@org.jspecify.annotations.NullMarked
package mayfly.linux;
