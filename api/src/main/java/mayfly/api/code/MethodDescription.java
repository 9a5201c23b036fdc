package mayfly.api.code;

/**
 * The description of a method, a constructor ({@code <init>}) or a class initializer ({@code <clinit>}).
 *
 * @param id the method, which contains its declaring class
 * @param name the name in the class file: untrusted text
 * @param descriptor the JVM descriptor, such as {@code (I)V}: untrusted text
 * @param modifiers the access flags of the class file (JVMS 4.6), which {@link java.lang.reflect.Modifier} interprets
 * @param codeSize the size of its bytecodes in bytes; 0 if it has no code; with a probe, or after a redefinition by an
 *         agent, of the present code
 */
public record MethodDescription(MethodId id, String name, String descriptor, int modifiers, int codeSize) {}
