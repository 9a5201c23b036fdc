package mayfly.hotspot.code;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.tables.Unsigned5;
import org.jspecify.annotations.Nullable;

/** The content of an nmethod of a forged VM. */
public final class ForgedNmethod {
    public final long method;
    public int compileId = 1;
    public int level = 4;
    public int frameWords = 4;
    public int frameComplete;
    public int verifiedEntry;
    public int osrEntry = -1;
    public int deoptHandler = -1;
    public int origPcOffset;
    public boolean isNative;
    public byte[] instructions = new byte[64];
    /** Offsets of oop maps; null for none. */
    public int @Nullable [] oopMaps;
    /** Pairs: the offset of a faulting instruction, and the offset at which execution continues. */
    public int[] implicitExceptions = {};

    private final List<int[]> pcs = new ArrayList<>();
    private final List<Long> metadata = new ArrayList<>();
    private byte[] scopes = {0};

    public ForgedNmethod(long method) {
        this.method = method;
    }

    public ForgedNmethod compileId(int id) {
        compileId = id;
        return this;
    }

    public ForgedNmethod instructions(byte[] bytes) {
        instructions = bytes;
        return this;
    }

    /** Adds a PcDesc. Rows must be in ascending order of their offsets, as the VM writes them. */
    public ForgedNmethod pc(int offset, int scope) {
        pcs.add(new int[] {offset, scope});
        return this;
    }

    /** Adds a metadata entry and returns its index, which scopes count from 1. */
    public int metadata(long pointer) {
        metadata.add(pointer);
        return metadata.size();
    }

    ForgedNmethod scopes(byte[] bytes) {
        scopes = bytes;
        return this;
    }

    /** Appends a scope and returns its offset. {@code sender} is 0 for the outermost scope. */
    public int scope(int excluded, int sender, int methodIndex, int bci) {
        int at = scopes.length;
        scopes = Unsigned5.join(
                scopes,
                Unsigned5.encode(sender, excluded),
                Unsigned5.encode(methodIndex, excluded),
                Unsigned5.encode(bci + 1, excluded));
        return at;
    }

    /** Appends a scope with monitors and returns its offset. */
    int scope(int excluded, int sender, int methodIndex, int bci, int monitorsAt) {
        int at = scope(excluded, sender, methodIndex, bci);
        append(Unsigned5.join(
                Unsigned5.encode(0, excluded), Unsigned5.encode(0, excluded), Unsigned5.encode(monitorsAt, excluded)));
        return at;
    }

    /** Appends bytes to the scope data and returns their offset. */
    public int append(byte[] bytes) {
        int at = scopes.length;
        scopes = Unsigned5.join(scopes, bytes);
        return at;
    }

    /** Returns the array with the sentinels that the VM puts at both ends: see PcDesc::lower_offset_limit. */
    public byte[] pcDescs(int size, long pcOffset, long scopeOffset) {
        ByteBuffer bytes = ByteBuffer.allocate(size * (pcs.size() + 2)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt((int) pcOffset, -1);
        for (int i = 0; i < pcs.size(); i++) {
            bytes.putInt((i + 1) * size + (int) pcOffset, pcs.get(i)[0]);
            bytes.putInt((i + 1) * size + (int) scopeOffset, pcs.get(i)[1]);
        }
        bytes.putInt((pcs.size() + 1) * size + (int) pcOffset, Integer.MAX_VALUE);
        return bytes.array();
    }

    public byte[] metadataTable() {
        ByteBuffer bytes = ByteBuffer.allocate(metadata.size() * 8).order(ByteOrder.LITTLE_ENDIAN);
        metadata.forEach(bytes::putLong);
        return bytes.array();
    }

    /** Returns the scope data, padded as in the VM, where each table is aligned. */
    public byte[] scopeBytes() {
        return java.util.Arrays.copyOf(scopes, scopes.length + 7 & -8);
    }
}
