package mayfly.api.heap;

import java.util.Optional;
import mayfly.api.ThreadId;

/**
 * A step of a path of references: a reference, and the object to which it refers. The first step of a path is a root of
 * the garbage collector, each other step a reference from the object of the step before it.
 *
 * @param kind the kind of the reference or root
 * @param name the name of the field, if it still refers to the object after the search; for a local variable, its
 *         method as {@code CLASS.METHOD}
 * @param index the index of an element of an array; otherwise -1
 * @param className the name of the object's class as {@link Class#getName} returns it; empty if the object has been
 *         collected meanwhile
 * @param represented the name of the class that the object represents, if it is a {@code Class}
 * @param thread the thread of a local variable or a JNI local reference
 */
public record ReferenceStep(
        ReferenceKind kind,
        Optional<String> name,
        int index,
        String className,
        Optional<String> represented,
        Optional<ThreadId> thread) {}
