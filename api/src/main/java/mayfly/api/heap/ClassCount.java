package mayfly.api.heap;

import java.util.Optional;
import mayfly.api.ClassId;

/**
 * The live objects of a class.
 *
 * @param name the class name as {@link Class#getName} returns it, such as {@code [B} for an array of bytes: untrusted
 *         text. Classes of several loaders may have the same name
 * @param type the class, if it is known to be the only one of that name
 * @param instances the number of objects
 * @param bytes the bytes that they occupy in the heap, without the objects that they refer to
 */
public record ClassCount(String name, Optional<ClassId> type, long instances, long bytes) {}
