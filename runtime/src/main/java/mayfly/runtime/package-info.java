/** The interface of a managed runtime: identify its code, step its frames, name its methods, list its threads. */
@org.jspecify.annotations.NullMarked
package mayfly.runtime;
