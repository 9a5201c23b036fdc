package mayfly.hotspot.code;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.column.PcMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads methods: Method, ConstMethod, ConstantPool, the names of the holder and the method, the line table.
 *
 * <p>The VM may free a Method with its class and reuse its memory. A cached method is therefore valid only while the
 * pointers it was read through are unchanged; they are checked once per epoch.
 */
public final class Methods {
    /** Upper bound on the length of a symbol: Symbol::max_length(). */
    private static final int MAX_SYMBOL = 65_535;
    /** Upper bound on the size of a method's code: JVM specification §4.7.3. */
    private static final int MAX_CODE = 65_535;

    private static final int MAX_LINE_TABLE = 256 * 1024;
    private static final int HAS_LINE_NUMBER_TABLE = 1;
    private static final int JVM_ACC_NATIVE = 0x0100;
    /**
     * Upper bound on the cached methods. It limits the memory that Mayfly uses if a target generates classes
     * continuously.
     */
    private static final int MAX_METHODS = 60_000;

    /** The name of a frame whose method could not be read because its class had been unloaded. */
    public static final String UNLOADED = "[unloaded method]";

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final PcMap<Method> known = new PcMap<>(MAX_METHODS);
    private final Map<String, String> names = new HashMap<>();
    private final long[] pointerFields = new long[2];
    private final long[] pointers = new long[2];

    public Methods(Memory memory, VmLayout layout, JdkRules rules) {
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
    }

    /**
     * Returns the method at an address, confirmed in this epoch.
     *
     * @throws BadMetadata if the data read is inconsistent
     * @throws MemoryFault if the target's memory cannot be read
     */
    public Method at(long address, long epoch) throws BadMetadata, MemoryFault {
        Method method = known.get(address);
        if (method != null && (method.confirmedEpoch == epoch || isUnchanged(method))) {
            method.confirmedEpoch = epoch;
            return method;
        }
        method = read(address);
        method.confirmedEpoch = epoch;
        if (known.size() >= MAX_METHODS) {
            known.clear();
            names.clear();
        }
        known.put(address, method);
        return method;
    }

    /** Returns the method at an address, confirmed in this epoch, or null if there is none that can be read. */
    public @Nullable Method orNull(long address, long epoch) {
        try {
            return at(address, epoch);
        } catch (MemoryFault | BadMetadata e) {
            return null;
        }
    }

    private boolean isUnchanged(Method method) {
        pointerFields[0] = method.address + layout.at(VmField.METHOD_CONST_METHOD);
        pointerFields[1] = method.constMethod + layout.at(VmField.CONST_METHOD_CONSTANTS);
        try {
            memory.gather(pointerFields, 2, pointers);
            return pointers[0] == method.constMethod && pointers[1] == method.constants;
        } catch (MemoryFault e) {
            return false;
        }
    }

    private Method read(long address) throws BadMetadata, MemoryFault {
        aligned("Method", address);
        long constMethod = aligned("ConstMethod", memory.readLong(address + layout.at(VmField.METHOD_CONST_METHOD)));
        long pool = aligned("ConstantPool", memory.readLong(constMethod + layout.at(VmField.CONST_METHOD_CONSTANTS)));
        long holder = aligned("Klass", memory.readLong(pool + layout.at(VmField.POOL_HOLDER)));
        int poolLength = memory.readInt(pool + layout.at(VmField.POOL_LENGTH));
        int codeSize = memory.readShort(constMethod + layout.at(VmField.CONST_METHOD_CODE_SIZE));
        int nameIndex = memory.readShort(constMethod + layout.at(VmField.CONST_METHOD_NAME_INDEX));
        int signatureIndex = memory.readShort(constMethod + layout.at(VmField.CONST_METHOD_SIGNATURE_INDEX));
        if (nameIndex <= 0
                || nameIndex >= poolLength
                || signatureIndex <= 0
                || signatureIndex >= poolLength
                || codeSize > MAX_CODE) {
            throw new BadMetadata("Method at 0x" + Long.toHexString(address));
        }
        long entries = pool + layout.constantPoolSize;
        String name = symbol(memory.readLong(entries + 8L * nameIndex));
        String descriptor = symbol(memory.readLong(entries + 8L * signatureIndex));
        if (name.isEmpty() || !descriptor.startsWith("(")) {
            throw new BadMetadata("Method at 0x" + Long.toHexString(address) + " has no name or no method descriptor");
        }
        String className = className(holder);
        boolean isNative = (memory.readInt(address + layout.at(VmField.METHOD_ACCESS_FLAGS)) & JVM_ACC_NATIVE) != 0;
        long codeBegin = constMethod + layout.constMethodSize;
        return new Method(
                address,
                constMethod,
                pool,
                codeBegin,
                codeSize,
                isNative,
                shared(className),
                shared(name),
                shared(descriptor),
                shared(sourceFile(pool, holder, poolLength)),
                lines(constMethod, codeBegin, codeSize));
    }

    /**
     * Returns the name of the source file, from the class's attribute; empty if it cannot be read. The method's own
     * name does not depend on it.
     */
    private String sourceFile(long pool, long holder, int poolLength) {
        try {
            int index = 0;
            if (layout.has(VmField.POOL_SOURCE_FILE)) {
                index = memory.readShort(pool + layout.at(VmField.POOL_SOURCE_FILE));
            } else if (layout.has(VmField.KLASS_SOURCE_FILE)) {
                index = memory.readShort(holder + layout.at(VmField.KLASS_SOURCE_FILE));
            }
            return index <= 0 || index >= poolLength
                    ? ""
                    : symbol(memory.readLong(pool + layout.constantPoolSize + 8L * index));
        } catch (MemoryFault | BadMetadata e) {
            return "";
        }
    }

    private LineTable lines(long constMethod, long codeBegin, int codeSize) {
        try {
            int flags = memory.readShort(constMethod + layout.at(VmField.CONST_METHOD_FLAGS));
            if ((flags & HAS_LINE_NUMBER_TABLE) == 0) {
                return LineTable.EMPTY;
            }
            // The length of the table is not stored. Read increasing lengths until the end is included. The following
            // page may not be mapped, so it is read last.
            long begin = codeBegin + codeSize;
            int page = Memory.MIN_PAGE - (int) (begin & Memory.MIN_PAGE - 1);
            for (int length = Math.min(256, page);
                    length <= MAX_LINE_TABLE;
                    length = length < page ? page : length * 8) {
                byte[] bytes = new byte[length];
                memory.read(begin, bytes, 0, length);
                try {
                    return LineTable.decode(bytes, 0, rules.unsigned5ExcludedBytes());
                } catch (BadMetadata e) {
                    continue;
                }
            }
        } catch (MemoryFault e) {
            return LineTable.EMPTY;
        }
        return LineTable.EMPTY;
    }

    private String symbol(long address) throws BadMetadata, MemoryFault {
        aligned("Symbol", address);
        int length = memory.readShort(address + layout.at(VmField.SYMBOL_LENGTH));
        if (length > MAX_SYMBOL) {
            throw new BadMetadata("Symbol of " + length + " bytes");
        }
        byte[] utf8 = new byte[length];
        memory.read(address + layout.at(VmField.SYMBOL_BODY), utf8, 0, length);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private String shared(String name) {
        String first = names.putIfAbsent(name, name);
        return first == null ? name : first;
    }

    private static long aligned(String what, long address) throws BadMetadata {
        if ((address & 7) != 0 || address >>> 12 == 0 || address >>> 47 != 0) {
            throw new BadMetadata("no " + what + " at 0x" + Long.toHexString(address));
        }
        return address;
    }

    /**
     * Returns the name of a class as {@code Klass::external_name} does: the VM distinguishes anonymous classes with the
     * same name by their addresses.
     *
     * @throws BadMetadata if the data read is inconsistent
     * @throws MemoryFault if the target's memory cannot be read
     */
    public String className(long klass) throws BadMetadata, MemoryFault {
        String name = externalName(symbol(memory.readLong(klass + layout.at(VmField.KLASS_NAME))));
        boolean anonymous = layout.anonymousClassFlag != 0
                && (memory.readShort(klass + layout.at(VmField.INSTANCE_KLASS_MISC_FLAGS)) & layout.anonymousClassFlag)
                        != 0;
        return anonymous ? name + "/0x%016x".formatted(klass) : name;
    }

    /**
     * Returns a class's name as Java prints it: with dots, and for a hidden class {@code /0x…} where the VM stores
     * {@code +0x…}.
     */
    static String externalName(String internal) {
        String dotted = internal.replace('/', '.');
        int plus = dotted.lastIndexOf("+0x");
        return plus < 0 ? dotted : dotted.substring(0, plus) + "/" + dotted.substring(plus + 1);
    }
}
