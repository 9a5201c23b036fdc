package mayfly.hotspot.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/**
 * Reads the destinations of the VM's log, see logConfiguration.hpp, through symbols that are not exported. The offsets
 * of the strings in an output are not described, so the strings are recognised by their contents.
 */
final class LogOutputs {
    static final String OUTPUTS = "_ZN16LogConfiguration8_outputsE";
    static final String COUNT = "_ZN16LogConfiguration10_n_outputsE";
    private static final int MAX_OUTPUTS = 1000;
    private static final int WORDS = 64;
    /**
     * Upper bound on the words searched. The selection is near the start of an output; a longer search would reach the
     * next one.
     */
    private static final int SELECTION_WORDS = 16;

    private static final int MAX_TEXT = 1000;
    /** A selection such as {@code all=off,gc+heap*=debug}. */
    private static final Pattern SELECTION = Pattern.compile("all=[a-z]+(,[a-z0-9_+*]+=[a-z]+)*");
    /** The first two outputs, which always exist. */
    private static final List<String> STANDARD = List.of("stdout", "stderr");

    private LogOutputs() {}

    /** Returns each output with its selection of messages, such as {@code stdout: all=warning}. */
    static List<String> read(Memory memory, ModuleSymbols symbols) throws MemoryFault, BadMetadata {
        long count = memory.readLong(symbols.address(COUNT));
        long outputs = memory.readLong(symbols.address(OUTPUTS));
        if (count < STANDARD.size() || count > MAX_OUTPUTS) {
            throw new BadMetadata(count + " log outputs");
        }
        List<String> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long output = memory.readLong(outputs + 8L * i);
            String name = i < STANDARD.size()
                    ? STANDARD.get(i)
                    : text(memory, output, WORDS, text -> text.startsWith("file="));
            found.add((name.isEmpty() ? "an output of another kind" : name) + ": "
                    + require(text(memory, output, SELECTION_WORDS, SELECTION.asMatchPredicate())));
        }
        return found;
    }

    private static String require(String selection) throws BadMetadata {
        if (selection.isEmpty()) {
            throw new BadMetadata("a log output without a selection");
        }
        return selection;
    }

    /** Returns the first string that a word of an output points to and that is accepted; empty if there is none. */
    private static String text(Memory memory, long output, int words, Predicate<String> wanted) {
        for (int i = 1; i < words; i++) {
            try {
                long pointer = memory.readLong(output + 8L * i);
                String text = pointer <= 0 ? "" : VmStructs.string(memory, pointer, MAX_TEXT);
                if (wanted.test(text)) {
                    return text;
                }
            } catch (MemoryFault e) {
                continue; // not a pointer
            }
        }
        return "";
    }
}
