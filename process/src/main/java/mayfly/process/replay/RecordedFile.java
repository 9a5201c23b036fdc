package mayfly.process.replay;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import mayfly.process.Mapping;

/**
 * The parts of a mapped file that a walk needed. All other bytes read as zeros.
 *
 * @param device device of the file, as in its {@link Mapping}
 * @param inode inode of the file
 * @param path its path
 * @param size its size in bytes
 * @param parts the known bytes, by their position in the file
 */
public record RecordedFile(String device, long inode, String path, long size, Map<Long, byte[]> parts) {
    /** Upper bound on the size of a file that is recorded, in bytes. */
    static final long MAX_SIZE = 256L << 20;

    /** @throws IllegalArgumentException if the size is not 0 to 256 MiB, or a part lies outside the file */
    public RecordedFile {
        parts = new TreeMap<>(parts);
        if (size < 0 || size > MAX_SIZE) {
            throw new IllegalArgumentException("the file size " + size + " is not between 0 and " + MAX_SIZE);
        }
        for (Map.Entry<Long, byte[]> part : parts.entrySet()) {
            if (part.getKey() < 0 || part.getKey() > size - part.getValue().length) {
                throw new IllegalArgumentException(
                        "a part at " + part.getKey() + " lies outside the file of " + size + " bytes");
            }
        }
    }

    boolean is(Mapping mapping) {
        return mapping.inode() == inode && mapping.device().equals(device);
    }

    MemorySegment image() {
        byte[] image = new byte[(int) size];
        parts.forEach((at, bytes) -> System.arraycopy(bytes, 0, image, at.intValue(), bytes.length));
        return MemorySegment.ofArray(image);
    }
}
