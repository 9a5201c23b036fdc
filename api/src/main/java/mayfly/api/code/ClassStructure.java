package mayfly.api.code;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import mayfly.api.ClassId;

/**
 * The place of a class among other classes, and the size of its instances.
 *
 * @param id the class
 * @param modifiers the modifiers of {@link Class#getModifiers}
 * @param superclass the direct superclass; empty for {@code Object}, an interface and a primitive type
 * @param interfaces the direct superinterfaces, in the order of the class file
 * @param componentType the type of the components if the class is an array class, which may be a primitive type
 * @param instanceSize the size of an instance in the heap in bytes, with its header; empty for an interface, an
 *         abstract class, an array class, a primitive type and {@code Class}, whose instances differ in size, and if
 *         this JVM does not describe it
 */
public record ClassStructure(
        ClassId id,
        int modifiers,
        Optional<ClassId> superclass,
        List<ClassId> interfaces,
        Optional<ClassId> componentType,
        OptionalInt instanceSize) {}
