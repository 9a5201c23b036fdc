package mayfly.hotspot.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * The VM's code cache. It maps an address to a blob, for the present and for the time of a sample.
 *
 * <p>The VM installs and frees blobs concurrently. Each blob is confirmed on its first use in an epoch by the segment
 * map, its heap block's header and its identity. If that fails, or if another blob is found in its place, the blob is
 * superseded. A superseded blob is retained for a while, because walks of earlier samples need it.
 */
public final class CodeCache {
    private static final int MAX_HEAPS = 16;
    /** Upper bound on the hops in a segment map. A hop covers at most 254 segments; a heap has at most about 2^20. */
    private static final int MAX_SEGMENT_HOPS = 64 * 1024;

    private static final long MAX_BLOB = 64L << 20;
    private static final int MAX_BLOB_NAME = 256;
    private static final int FREE = 0xff;
    private static final int MAX_USED = 4096;
    /** The number of words that are read to confirm a blob. */
    private static final int ASKED = 3;
    /** Upper bound on the age of a sample when it is walked; a superseded blob is dropped after this time. */
    private static final long KEEP_NANOS = 5_000_000_000L;

    private static final Comparator<CodeBlob> BY_ADDRESS = Comparator.comparingLong(blob -> blob.address);

    /** The address range of one CodeHeap. */
    private record Heap(long low, long high, long segmap, int log2SegmentSize) {}

    private final Memory memory;
    private final VmLayout layout;
    private final Nmethods nmethods;
    private final long lowBound;
    private final long highBound;
    private List<Heap> heaps = List.of();
    private final TreeMap<Long, CodeBlob> blobs = new TreeMap<>();
    private final ArrayDeque<CodeBlob> superseded = new ArrayDeque<>();
    /** The blobs confirmed in this epoch. */
    private List<CodeBlob> used = new ArrayList<>();
    /** The requests of {@link #confirmUsed} and their answers, reused in each epoch. */
    private List<CodeBlob> asking = new ArrayList<>();

    private long[] addresses = new long[512];
    private long[] words = new long[512];
    private long epoch = 1;
    private long now;
    private long heapsEpoch;
    private long supersededCount;

    /**
     * Reads the bounds and the heaps of the code cache.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public CodeCache(Memory memory, VmLayout layout, Nmethods nmethods) throws MemoryFault, BadMetadata {
        this.memory = memory;
        this.layout = layout;
        this.nmethods = nmethods;
        lowBound = memory.readLong(layout.at(VmField.CODE_CACHE_LOW_BOUND));
        highBound = memory.readLong(layout.at(VmField.CODE_CACHE_HIGH_BOUND));
        readHeaps();
    }

    /** Returns true if an address lies in the space reserved for generated code. */
    public boolean reserves(long pc) {
        return pc >= lowBound && pc < highBound;
    }

    /** Returns the number of the current epoch. */
    public long epoch() {
        return epoch;
    }

    /** Returns the start of the epoch, CLOCK_MONOTONIC in ns. */
    public long now() {
        return now;
    }

    /** Returns the number of blobs found freed or replaced so far. */
    public long supersededCount() {
        return supersededCount;
    }

    /**
     * Begins a new epoch, in which each blob must be confirmed before its next use.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    public void newEpoch(long nowNanos) {
        epoch++;
        now = nowNanos;
        confirmUsed();
        while (!superseded.isEmpty() && superseded.peekFirst().lastConfirmed < nowNanos - KEEP_NANOS) {
            superseded.removeFirst();
        }
    }

    /** Confirms, in one batch, the blobs that the last epoch used: this epoch will probably use them again. */
    private void confirmUsed() {
        List<CodeBlob> asked = used;
        used = asking;
        asking = asked;
        used.clear();
        if (ASKED * asked.size() > words.length) {
            addresses = new long[2 * ASKED * asked.size()];
            words = new long[2 * ASKED * asked.size()];
        }
        asked.sort(BY_ADDRESS); // addresses in the same page are read together
        int count = 0;
        for (CodeBlob blob : asked) {
            if (!blob.superseded && blob.usedEpoch == epoch - 1) {
                asked.set(count++, blob);
            }
        }
        for (int i = 0; i < count; i++) {
            ask(asked.get(i), i, count);
        }
        try {
            memory.gather(addresses, ASKED * count, words);
        } catch (MemoryFault e) {
            for (CodeBlob blob : asked.subList(0, count)) {
                settle(blob, isInPlace(blob));
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            settle(asked.get(i), isInPlace(asked.get(i), i, count));
        }
    }

    /**
     * Adds the words that show whether a blob is in place. Header and identity are not sufficient: the VM may merge the
     * space of a freed blob with the preceding space and allocate both to a larger blob, and the old words remain until
     * that blob overwrites them. The words of the segment map come after all others, because they lie in few pages.
     */
    private void ask(CodeBlob blob, int index, int count) {
        addresses[2 * index] = usedFlag(blob.address);
        addresses[2 * index + 1] = identityField(blob.address, blob.kind);
        addresses[2 * count + index] = beginFlag(blob) & -Long.BYTES;
    }

    private boolean isInPlace(CodeBlob blob, int index, int count) {
        int shift = Byte.SIZE * (int) (beginFlag(blob) & Long.BYTES - 1);
        boolean begins = (words[2 * count + index] >>> shift & 0xff) == 0;
        boolean isUsed = (words[2 * index] & 0xff) == 1;
        return begins && isUsed && identityIn(words[2 * index + 1], blob.kind) == blob.identity;
    }

    /**
     * Returns the address of the segment map's entry for the start of the block. The entry is 0 while a block begins
     * there.
     */
    private long beginFlag(CodeBlob blob) {
        long block = blob.address - layout.heapBlockSize;
        Heap heap = heap(block);
        return heap == null ? 0 : heap.segmap + (block - heap.low >>> heap.log2SegmentSize);
    }

    /**
     * Returns the blob that contained an address at a given time: the current blob if it was in place then, otherwise a
     * superseded one. If no blob is known for that time, returns the current blob. If the space is free now, returns
     * the blob that was superseded last, or null if there is none.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    @Nullable
    public CodeBlob find(long pc, long time) throws MemoryFault, BadMetadata {
        CodeBlob blob = current(pc);
        if (blob != null && (!blob.hasPredecessor || time >= blob.firstSeen)) {
            return blob;
        }
        CodeBlob old = blob == null ? lastSuperseded(pc) : supersededAt(pc, time);
        return old != null ? old : blob;
    }

    /** Returns the current blob, confirmed in this epoch, or null if the space is free. */
    private @Nullable CodeBlob current(long pc) throws MemoryFault, BadMetadata {
        CodeBlob known = known(pc);
        if (known != null && !isConfirmed(known)) {
            known = known(pc); // it may just have been read again
        }
        if (known != null && isConfirmed(known)) {
            return known;
        }
        long address = blobStart(pc);
        if (address == 0 || !isUsed(address)) {
            return null;
        }
        CodeBlob blob = read(address, now);
        if (!blob.contains(pc)) {
            throw new BadMetadata(blob + " does not reach 0x" + Long.toHexString(pc));
        }
        supersedeOverlapped(blob);
        blob.hasPredecessor = lastOverlapping(blob.address, blob.end) != null;
        blobs.put(blob.address, blob);
        return blob;
    }

    private @Nullable CodeBlob known(long pc) {
        Map.Entry<Long, CodeBlob> floor = blobs.floorEntry(pc);
        return floor != null && floor.getValue().contains(pc) ? floor.getValue() : null;
    }

    /** Returns true if a blob is in place. Confirms it first if this epoch has not confirmed it yet. */
    public boolean isConfirmed(CodeBlob blob) {
        if (blob.superseded) {
            return false;
        }
        blob.usedEpoch = epoch;
        if (blob.confirmedEpoch == epoch) {
            return true;
        }
        settle(blob, isInPlace(blob));
        return !blob.superseded;
    }

    private boolean isInPlace(CodeBlob blob) {
        ask(blob, 0, 1);
        try {
            memory.gather(addresses, ASKED, words);
        } catch (MemoryFault e) {
            return false;
        }
        return isInPlace(blob, 0, 1);
    }

    /**
     * Records whether a blob is in place, and supersedes it if it is not. On the first confirmation the blob is read
     * again: during the first read, the VM may still have been writing the blob, or parts of its memory may have been
     * read before the blob was installed.
     */
    private void settle(CodeBlob blob, boolean inPlace) {
        if (!inPlace) {
            supersede(blob);
        } else if (blob.settled) {
            confirmed(blob);
        } else {
            readAgain(blob);
        }
    }

    private void readAgain(CodeBlob blob) {
        blob.superseded = true;
        blobs.remove(blob.address);
        try {
            CodeBlob again = read(blob.address, blob.firstSeen);
            again.settled = true;
            again.hasPredecessor = blob.hasPredecessor;
            blobs.put(again.address, again);
        } catch (MemoryFault | BadMetadata e) {
            return; // the VM is freeing the blob
        }
    }

    private void confirmed(CodeBlob blob) {
        blob.confirmedEpoch = epoch;
        blob.lastConfirmed = now;
        if (used.size() < MAX_USED) {
            used.add(blob);
        }
    }

    private void supersede(CodeBlob blob) {
        blob.superseded = true;
        blobs.remove(blob.address);
        superseded.addLast(blob);
        supersededCount++;
    }

    private void supersedeOverlapped(CodeBlob blob) {
        for (Map.Entry<Long, CodeBlob> old = blobs.lowerEntry(blob.end);
                old != null && old.getValue().end > blob.address;
                old = blobs.lowerEntry(blob.end)) {
            supersede(old.getValue());
        }
    }

    private @Nullable CodeBlob lastOverlapping(long from, long to) {
        CodeBlob found = null;
        for (CodeBlob old : superseded) {
            if (old.address < to && old.end > from) {
                found = old;
            }
        }
        return found;
    }

    private @Nullable CodeBlob lastSuperseded(long pc) {
        return lastOverlapping(pc, pc + 1);
    }

    private @Nullable CodeBlob supersededAt(long pc, long time) {
        CodeBlob found = null;
        for (CodeBlob old : superseded) {
            if (old.contains(pc) && time <= old.lastConfirmed && (found == null || old.firstSeen > found.firstSeen)) {
                found = old;
            }
        }
        return found;
    }

    private boolean isUsed(long blob) throws MemoryFault {
        return memory.readByte(usedFlag(blob)) != 0;
    }

    private long usedFlag(long blob) {
        return blob - layout.heapBlockSize + layout.at(VmField.HEAP_BLOCK_USED);
    }

    private long identity(long blob, CodeBlob.Kind kind) throws MemoryFault {
        return identityIn(memory.readLong(identityField(blob, kind)), kind);
    }

    private long identityField(long blob, CodeBlob.Kind kind) {
        return blob + layout.at(isNmethod(kind) ? VmField.NMETHOD_COMPILE_ID : VmField.BLOB_NAME);
    }

    private static long identityIn(long word, CodeBlob.Kind kind) {
        return isNmethod(kind) ? (int) word : word;
    }

    private static boolean isNmethod(CodeBlob.Kind kind) {
        return kind == CodeBlob.Kind.NMETHOD || kind == CodeBlob.Kind.NATIVE_NMETHOD;
    }

    /**
     * Returns the start of the blob that contains an address according to the heap's segment map, or 0 if the space is
     * free.
     */
    private long blobStart(long pc) throws MemoryFault, BadMetadata {
        Heap heap = heap(pc);
        if (heap == null && heapsEpoch != epoch) {
            readHeaps();
            heap = heap(pc);
        }
        if (heap == null) {
            return 0;
        }
        long segment = pc - heap.low >>> heap.log2SegmentSize;
        for (int hops = 0; hops < MAX_SEGMENT_HOPS; hops++) {
            int back = memory.readByte(heap.segmap + segment);
            if (back == FREE) {
                return 0;
            }
            if (back == 0) {
                return heap.low + (segment << heap.log2SegmentSize) + layout.heapBlockSize;
            }
            segment -= back;
            if (segment < 0) {
                break;
            }
        }
        throw new BadMetadata("the segment map has no block start for 0x" + Long.toHexString(pc));
    }

    private CodeBlob read(long address, long firstSeen) throws MemoryFault, BadMetadata {
        long size = memory.readInt(address + layout.at(VmField.BLOB_SIZE));
        long codeBegin;
        long codeEnd;
        if (layout.has(VmField.BLOB_CODE_BEGIN)) {
            codeBegin = memory.readLong(address + layout.at(VmField.BLOB_CODE_BEGIN));
            codeEnd = memory.readLong(address + layout.at(VmField.BLOB_CODE_END));
        } else {
            codeBegin = address + memory.readInt(address + layout.at(VmField.BLOB_CODE_OFFSET));
            codeEnd = address + memory.readInt(address + layout.at(VmField.BLOB_DATA_OFFSET));
        }
        int frameSize = memory.readInt(address + layout.at(VmField.BLOB_FRAME_SIZE));
        int frameComplete = (short) memory.readShort(address + layout.at(VmField.BLOB_FRAME_COMPLETE));
        long nameAddress = memory.readLong(address + layout.at(VmField.BLOB_NAME));
        if (size <= 0
                || size > MAX_BLOB
                || codeBegin < address
                || codeEnd < codeBegin
                || codeEnd > address + size
                || frameSize < -1
                || frameSize > 1 << 20
                || nameAddress == 0) {
            throw new BadMetadata("CodeBlob at 0x" + Long.toHexString(address));
        }
        String name = VmStructs.string(memory, nameAddress, MAX_BLOB_NAME);
        CodeBlob.Kind kind = CodeBlob.Kind.of(name, frameSize);
        long identity = identity(address, kind);
        CodeBlob blob = switch (kind) {
            case NMETHOD, NATIVE_NMETHOD ->
                nmethods.read(
                        kind,
                        address,
                        address + size,
                        codeBegin,
                        codeEnd,
                        name,
                        Math.max(frameSize, 0),
                        frameComplete,
                        identity,
                        firstSeen);
            default ->
                new CodeBlob(
                        kind,
                        address,
                        address + size,
                        codeBegin,
                        codeEnd,
                        name,
                        Math.max(frameSize, 0),
                        frameComplete,
                        identity,
                        firstSeen);
        };
        blob.usedEpoch = epoch;
        confirmed(blob);
        return blob;
    }

    private @Nullable Heap heap(long pc) {
        for (Heap heap : heaps) {
            if (pc >= heap.low && pc < heap.high) {
                return heap;
            }
        }
        return null;
    }

    private void readHeaps() throws MemoryFault, BadMetadata {
        heapsEpoch = epoch;
        long array = memory.readLong(layout.at(VmField.CODE_CACHE_HEAPS));
        if (array == 0) {
            throw new BadMetadata("CodeCache._heaps is null");
        }
        int length = memory.readInt(array + layout.at(VmField.ARRAY_LEN));
        if (length < 1 || length > MAX_HEAPS) {
            throw new BadMetadata("CodeCache._heaps has the length " + length);
        }
        long data = memory.readLong(array + layout.at(VmField.ARRAY_DATA));
        List<Heap> found = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            long heap = memory.readLong(data + 8L * i);
            long space = heap + layout.at(VmField.CODE_HEAP_MEMORY);
            long segmap = heap + layout.at(VmField.CODE_HEAP_SEGMAP);
            int log2 = memory.readInt(heap + layout.at(VmField.CODE_HEAP_LOG2_SEGMENT_SIZE));
            long low = memory.readLong(space + layout.at(VmField.VIRTUAL_SPACE_LOW));
            long high = memory.readLong(space + layout.at(VmField.VIRTUAL_SPACE_HIGH));
            if (low < lowBound || high > highBound || low > high || log2 < 4 || log2 > 16) {
                throw new BadMetadata("CodeHeap " + i + " at 0x" + Long.toHexString(heap));
            }
            found.add(new Heap(low, high, memory.readLong(segmap + layout.at(VmField.VIRTUAL_SPACE_LOW)), log2));
        }
        heaps = found;
    }

    /**
     * Reads the used blobs among the first {@code limit} blocks of each heap, in the order of their addresses. For the
     * self-check.
     *
     * @param unreadable receives the reason for each blob that cannot be read: the VM marks a block as used before its
     *         blob is complete
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public List<CodeBlob> first(int limit, Consumer<Exception> unreadable) throws MemoryFault, BadMetadata {
        List<CodeBlob> found = new ArrayList<>();
        for (Heap heap : heaps) {
            long block = heap.low;
            for (int i = 0; i < limit && block < heap.high; i++) {
                long segments = memory.readLong(block + layout.at(VmField.HEAP_BLOCK_LENGTH))
                        & (layout.heapBlockSize == 8 ? 0xffff_ffffL : -1L);
                if (segments == 0) {
                    break; // the space after the last block has never been used
                }
                if (segments < 0 || segments > MAX_BLOB >>> heap.log2SegmentSize) {
                    throw new BadMetadata("HeapBlock at 0x" + Long.toHexString(block));
                }
                if (isUsed(block + layout.heapBlockSize)) {
                    try {
                        found.add(read(block + layout.heapBlockSize, now));
                    } catch (BadMetadata | MemoryFault e) {
                        unreadable.accept(e);
                    }
                }
                block += segments << heap.log2SegmentSize;
            }
        }
        return found;
    }
}
