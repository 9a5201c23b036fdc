package mayfly.api.heap;

import java.util.Optional;
import mayfly.api.ClassId;

/**
 * The references of one kind from the objects of a class to the objects of a class.
 *
 * @param from the class of the referring objects; the class itself for a reference of a class, such as its static
 *     fields; empty for a root of the garbage collector, or if the class was loaded or unloaded during the visit
 * @param to the class of the objects that are referred to; empty if it was loaded or unloaded during the visit
 * @param kind the kind of the references
 * @param references the number of references
 * @param bytes the sizes of the objects that are referred to, without the objects that these refer to; an object counts
 *     once for each reference
 */
public record ReferenceCount(
        Optional<ClassId> from, Optional<ClassId> to, ReferenceKind kind, long references, long bytes) {}
