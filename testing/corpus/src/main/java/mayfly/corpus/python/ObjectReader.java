package mayfly.corpus.python;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Reads objects whose type is known.
 *
 * @param memory the process's memory
 * @param layout the offsets
 * @param codeType the address of {@code PyCode_Type}
 * @param textType the address of {@code PyUnicode_Type}
 * @param bytesType the address of {@code PyBytes_Type}
 */
record ObjectReader(Memory memory, Layout layout, long codeType, long textType, long bytesType) {
    /** Upper bound on the length of a text, in characters: that of a path on Linux, in bytes. */
    private static final int MAX_TEXT = 4096;

    private static final int MAX_BYTES = 1 << 20;
    /** The encodings, indexed by the number of bytes of a character: see {@code PyUnicode_Kind}. */
    private static final List<Charset> KINDS = List.of(
            StandardCharsets.US_ASCII,
            StandardCharsets.ISO_8859_1,
            StandardCharsets.UTF_16LE,
            StandardCharsets.US_ASCII,
            StandardCharsets.UTF_32LE);

    /**
     * Reads a code object.
     *
     * @throws BadPython if it is not one
     * @throws MemoryFault if a part of it cannot be read
     */
    Code code(long address) throws BadPython, MemoryFault {
        require(address, codeType);
        return new Code(
                text(memory.readLong(address + layout.name())),
                text(memory.readLong(address + layout.file())),
                memory.readInt(address + layout.firstLine()),
                bytes(memory.readLong(address + layout.lines())));
    }

    private String text(long address) throws BadPython, MemoryFault {
        require(address, textType);
        int state = memory.readInt(address + layout.textState());
        int kind = state >>> 2 & 7;
        boolean isCompact = (state >>> 5 & 1) != 0;
        boolean isAscii = (state >>> 6 & 1) != 0;
        if (!isCompact || kind != 1 && kind != 2 && kind != 4) {
            throw new BadPython("a str of kind " + kind);
        }
        byte[] characters = new byte[length(address, MAX_TEXT) * kind];
        memory.read(address + (isAscii ? layout.asciiText() : layout.wideText()), characters, 0, characters.length);
        return new String(characters, KINDS.get(kind));
    }

    private byte[] bytes(long address) throws BadPython, MemoryFault {
        require(address, bytesType);
        byte[] found = new byte[length(address, MAX_BYTES)];
        memory.read(address + layout.bytes(), found, 0, found.length);
        return found;
    }

    private int length(long address, int most) throws BadPython, MemoryFault {
        long length = memory.readLong(address + layout.length());
        if (length < 0 || length > most) {
            throw new BadPython("a length of " + length);
        }
        return (int) length;
    }

    private void require(long address, long type) throws BadPython, MemoryFault {
        if (memory.readLong(address + layout.type()) != type) {
            throw new BadPython("an object of another type");
        }
    }
}
