/**
 * The code of the runtime: class loaders, the structure of classes, methods and fields.
 *
 * <p>A number in an id has a meaning only together with its runtime, and only until its class or loader has been
 * unloaded. Ids keep nothing alive.
 */
package mayfly.api.code;
