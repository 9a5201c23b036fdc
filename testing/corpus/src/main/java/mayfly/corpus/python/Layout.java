package mayfly.corpus.python;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Offsets in the structures of CPython on x86-64, in bytes, as defined in its internal headers.
 *
 * @param firstInterpreter offset of the first interpreter in {@code _PyRuntimeState}
 * @param nextInterpreter offset of the next one in {@code PyInterpreterState}
 * @param firstThread offset of the first thread in {@code PyInterpreterState}
 * @param nextThread offset of the next one in {@code PyThreadState}
 * @param threadId offset of the kernel's id in {@code PyThreadState}
 * @param call offset of the innermost {@code _PyCFrame} in {@code PyThreadState}
 * @param callFrame offset of the current frame in {@code _PyCFrame}
 * @param outerCall offset of the previous {@code _PyCFrame} in {@code _PyCFrame}
 * @param code offset of the code object in {@code _PyInterpreterFrame}
 * @param caller offset of the previous frame in {@code _PyInterpreterFrame}
 * @param instruction offset of the last instruction's address in {@code _PyInterpreterFrame}
 * @param isEntry offset of the mark of a frame that C code called, in {@code _PyInterpreterFrame}
 * @param frameSize the size of {@code _PyInterpreterFrame} up to its local variables
 * @param firstLine offset of the first line number in {@code PyCodeObject}
 * @param file offset of the file name in {@code PyCodeObject}
 * @param name offset of the qualified name in {@code PyCodeObject}
 * @param lines offset of the table of line numbers in {@code PyCodeObject}
 * @param bytecode offset of the first instruction in {@code PyCodeObject}
 * @param type offset of the type in every object
 * @param length offset of the length in a {@code str} and in a {@code bytes}
 * @param textState offset of the kind in a {@code str}
 * @param asciiText offset of the characters in a {@code str} that has only ASCII characters
 * @param wideText offset of the characters in another {@code str}
 * @param bytes offset of the first byte in a {@code bytes}
 */
public record Layout(
        int firstInterpreter,
        int nextInterpreter,
        int firstThread,
        int nextThread,
        int threadId,
        int call,
        int callFrame,
        int outerCall,
        int code,
        int caller,
        int instruction,
        int isEntry,
        int frameSize,
        int firstLine,
        int file,
        int name,
        int lines,
        int bytecode,
        int type,
        int length,
        int textState,
        int asciiText,
        int wideText,
        int bytes) {
    /** CPython 3.11. Its micro versions do not differ. */
    public static final Layout V3_11 =
            new Layout(40, 0, 16, 8, 160, 56, 8, 16, 32, 48, 56, 68, 72, 72, 112, 128, 136, 184, 8, 16, 32, 48, 72, 32);

    /** The layouts, by 256 times the major version plus the minor version. */
    private static final Map<Integer, Layout> ALL = Map.of(0x30b, V3_11);

    static @Nullable Layout of(long version) {
        return version >>> 32 == 0 ? ALL.get((int) (version >>> 16)) : null;
    }
}
