package mayfly.api.code;

/**
 * The description of a field.
 *
 * @param id the field, which contains its declaring class
 * @param name the name in the class file: untrusted text
 * @param descriptor the JVM descriptor of its type, such as {@code Ljava/lang/String;}: untrusted text
 * @param modifiers the access flags of the class file (JVMS 4.5), which {@link java.lang.reflect.Modifier} interprets
 */
public record FieldDescription(FieldId id, String name, String descriptor, int modifiers) {}
