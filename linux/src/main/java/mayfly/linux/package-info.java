/** The only room with native access: one small class per kernel interface, and the live process made from them. */
@org.jspecify.annotations.NullMarked
package mayfly.linux;
