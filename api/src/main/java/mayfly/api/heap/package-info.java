/** The heap of the runtime: collections on request, the numbers of objects, and references between objects. */
package mayfly.api.heap;
