package mayfly.host.log;

import java.util.OptionalInt;
import mayfly.api.event.Deoptimization;
import org.jspecify.annotations.Nullable;

/**
 * The line of an uncommon trap (tag deoptimization):
 *
 * <pre>
 * cid=  12     level=4 T.f(ILjava/lang/Object;)I trap_bci=1 class_check maybe_recompile pc=0x7f19abec7bcc relative_pc=
 * cid=  11 osr level=4 T.hot(J)J trap_bci=5 osr_bci=5 predicate maybe_recompile pc=0x7f19abec7f24 relative_pc=0xa4
 * </pre>
 */
public final class DeoptimizationLine {
    private static final String NUMBER = "cid=";
    private static final String LEVEL = " level=";
    private static final String INDEX = " trap_bci=";
    private static final String LOOP = "osr_bci=";
    private static final String END = " pc=0x";

    private DeoptimizationLine() {}

    /** Returns the deoptimization, or null if the line is not understood. */
    public static @Nullable Deoptimization parse(String line) {
        int level = line.indexOf(LEVEL);
        int trap = line.lastIndexOf(INDEX);
        int end = line.indexOf(END, trap);
        int signature = line.indexOf(' ', level + 1) + 1;
        if (!line.startsWith(NUMBER) || level < 0 || trap <= signature || end < 0 || signature == 0) {
            return null;
        }
        // A descriptor has one opening parenthesis, and a class name in this form has no dot after the last one.
        int descriptor = line.lastIndexOf('(', trap);
        int dot = line.lastIndexOf('.', descriptor);
        String[] words = line.substring(trap + INDEX.length(), end).split(" +", -1);
        boolean loop = words.length > 1 && words[1].startsWith(LOOP);
        int reason = loop ? 2 : 1;
        long number = LogNumbers.decimalAt(line, LogNumbers.afterBlanks(line, NUMBER.length()));
        long tier = LogNumbers.decimalAt(line, level + LEVEL.length());
        long index = LogNumbers.decimal(words[0], 0, words[0].length());
        long loopIndex = loop ? LogNumbers.decimal(words[1], LOOP.length(), words[1].length()) : 0;
        boolean named = dot > signature && descriptor > dot + 1 && words.length == reason + 2;
        if (!named || number < 0 || tier < 1 || tier > 4 || !isIndex(index) || !isIndex(loopIndex)) {
            return null;
        }
        return new Deoptimization(
                number,
                line.substring(signature, dot),
                line.substring(dot + 1, descriptor),
                line.substring(descriptor, trap),
                (int) index,
                (int) tier,
                loop ? OptionalInt.of((int) loopIndex) : OptionalInt.empty(),
                words[reason],
                words[reason + 1]);
    }

    private static boolean isIndex(long index) {
        return index >= 0 && index <= 0xffff;
    }
}
