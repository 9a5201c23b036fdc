package mayfly.host.log;

import java.util.OptionalInt;
import mayfly.api.event.CompilationStart;
import org.jspecify.annotations.Nullable;

/**
 * The line of a compilation that begins (tags jit+compilation): the number, five columns for properties of the method
 * ({@code %} for a loop), the tier, the method, and the size of its bytecode. Lines about present code have the same
 * form, with words at the end. A JVM without tiers (-XX:-TieredCompilation) has a blank in place of the tier: its only
 * compiler is that of tier 4.
 *
 * <pre>
 *    5       3       T::f (18 bytes)
 *    6    b        T::g (18 bytes)
 *    7 %   ! 4       T::hot @ 5 (31 bytes)
 *    5       3       T::f (18 bytes)   made not entrant
 * </pre>
 */
public final class CompilationStartLine {
    private static final String END = " bytes)";
    private static final int PROPERTIES = 5;
    private static final int HIGHEST_TIER = 4;

    private CompilationStartLine() {}

    /** Returns true if the line is about a compilation that begins. */
    public static boolean isStart(String line) {
        return line.endsWith(END);
    }

    /** Returns the start of the compilation, or null if the line is not understood. */
    public static @Nullable CompilationStart parse(String line) {
        int begin = LogNumbers.afterBlanks(line, 0);
        int properties = LogNumbers.afterDigits(line, begin) + 1;
        int tierAt = properties + PROPERTIES + 1;
        int open = line.lastIndexOf(" (");
        if (!isStart(line) || tierAt + 1 >= open) {
            return null;
        }
        long number = LogNumbers.decimal(line, begin, properties - 1);
        int tier = line.charAt(tierAt) == ' ' ? HIGHEST_TIER : line.charAt(tierAt) - '0';
        boolean loop = line.charAt(properties) == '%';
        int at = loop ? line.lastIndexOf(" @ ", open) : open;
        long index = loop && at >= 0 ? LogNumbers.decimal(line, at + 3, open) : 0;
        int methodAt = line.lastIndexOf("::", at);
        int classAt = LogNumbers.afterBlanks(line, tierAt + 1);
        boolean named = classAt < methodAt && methodAt + 2 < at;
        if (number < 0 || tier < 1 || tier > HIGHEST_TIER || index < 0 || index > 0xffff || !named) {
            return null;
        }
        return new CompilationStart(
                number,
                line.substring(classAt, methodAt),
                line.substring(methodAt + 2, at),
                tier,
                loop ? OptionalInt.of((int) index) : OptionalInt.empty());
    }
}
