package mayfly.host.log;

import java.util.OptionalInt;
import mayfly.api.event.Compilation;
import org.jspecify.annotations.Nullable;

/**
 * The line of installed code (tags nmethod+install):
 *
 * <pre>
 * Installing method (3) java.lang.String.indexOf(I)I
 * Installing osr method (4) com.example.Loop.run(I)I @ 4
 * </pre>
 */
public final class CompilationLine {
    private static final String METHOD = "Installing method (";
    private static final String LOOP = "Installing osr method (";

    private CompilationLine() {}

    /** Returns the compilation, or null if the line is not understood. */
    public static @Nullable Compilation parse(String line) {
        boolean loop = line.startsWith(LOOP);
        int tierAt = loop ? LOOP.length() : METHOD.length();
        if (!loop && !line.startsWith(METHOD)) {
            return null;
        }
        long tier = LogNumbers.decimalAt(line, tierAt);
        int begin = line.indexOf(") ", tierAt) + 2;
        // A descriptor has one opening parenthesis, and ends at the next space.
        int descriptor = line.lastIndexOf('(');
        int end = line.indexOf(' ', Math.max(descriptor, 0));
        end = end < 0 ? line.length() : end;
        int dot = line.lastIndexOf('.', descriptor);
        if (tier < 1 || tier > 4 || begin < 2 || dot < begin || descriptor <= dot + 1) {
            return null;
        }
        long index = LogNumbers.decimalAt(line, line.indexOf("@ ", end) + 2);
        if (loop && (line.indexOf("@ ", end) < 0 || index < 0 || index > 0xffff)) {
            return null;
        }
        return new Compilation(
                line.substring(begin, dot),
                line.substring(dot + 1, descriptor),
                line.substring(descriptor, end),
                (int) tier,
                loop ? OptionalInt.of((int) index) : OptionalInt.empty());
    }
}
