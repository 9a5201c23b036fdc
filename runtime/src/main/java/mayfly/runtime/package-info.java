/** What any managed runtime answers: whose code is this, step this frame, name this method, list your threads. */
@org.jspecify.annotations.NullMarked
package mayfly.runtime;
