/**
 * A HotSpot JVM as a managed runtime, read from outside: VM structures, code cache, methods, scopes, line tables, and a
 * stepper for each kind of frame.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot;
