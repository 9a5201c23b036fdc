package mayfly.host.probe;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the parts of a class file (JVMS 4) that an insertion copies or replaces. Another agent may have
 * written the file, so each length is checked before it is used, also within the code, whose parts ASM would otherwise
 * allocate by the lengths in the file.
 */
public final class ClassFile {
    /** Larger than any class in use, because each part of one has at most 65,535 items. */
    static final int MAX_SIZE = 32 << 20;

    private static final long MAGIC = 0xCAFEBABEL;
    private static final int POOL_COUNT = 8;
    private static final int POOL = POOL_COUNT + 2;

    /**
     * A method.
     *
     * @param key its name and descriptor, as in {@code run()V}
     * @param name its name
     * @param flags its access flags
     * @param begin the position of its access flags
     * @param code its attribute Code; null if it has none
     * @param annotations its attribute RuntimeVisibleAnnotations; null if it has none
     */
    public record Method(
            String key,
            String name,
            int flags,
            int begin,
            @Nullable Range code,
            @Nullable Range annotations) {}

    /**
     * A part of the file.
     *
     * @param begin the position of its first byte
     * @param end the position after its last byte
     */
    public record Range(int begin, int end) {}

    private final byte[] bytes;
    private final ConstantPool pool;
    private final String className;
    private final List<Method> methods = new ArrayList<>();
    private final @Nullable Range bootstrapMethods;
    private int at;

    private ClassFile(byte[] bytes) throws MalformedCode {
        this.bytes = bytes;
        if (bytes.length < POOL || bytes.length > MAX_SIZE || unsigned4(0) != MAGIC) {
            throw new MalformedCode("no class file");
        }
        pool = ConstantPool.parse(bytes, POOL, unsigned2(POOL_COUNT));
        at = pool.end();
        skip(2); // access_flags
        className = pool.className(next2());
        skip(2); // super_class
        skip(2 * next2()); // interfaces
        int fields = next2();
        for (int i = 0; i < fields; i++) {
            skip(6); // access_flags, name_index, descriptor_index
            attributes();
        }
        int count = next2();
        for (int i = 0; i < count; i++) {
            methods.add(method());
        }
        bootstrapMethods = attributes("BootstrapMethods")[0];
        if (at != bytes.length) {
            throw new MalformedCode("bytes after the end of the class");
        }
    }

    /**
     * Finds the parts of a class file.
     *
     * @throws MalformedCode if a part is not within the file
     */
    public static ClassFile parse(byte[] bytes) throws MalformedCode {
        return new ClassFile(bytes);
    }

    private Method method() throws MalformedCode {
        int begin = at;
        int flags = next2();
        String name = pool.text(next2());
        String descriptor = pool.text(next2());
        @Nullable Range[] found = attributes("Code", "RuntimeVisibleAnnotations");
        if (found[0] != null) {
            checkCode(found[0]);
        }
        return new Method(name + descriptor, name, flags, begin, found[0], found[1]);
    }

    /** Skips a table of attributes, and returns those of the given names: null for a name without an attribute. */
    private @Nullable Range[] attributes(String... names) throws MalformedCode {
        @Nullable Range[] found = new Range[names.length];
        int count = next2();
        for (int i = 0; i < count; i++) {
            int begin = at;
            String name = pool.text(next2());
            skip(next4());
            for (int each = 0; each < names.length; each++) {
                if (!names[each].equals(name)) {
                    continue;
                }
                if (found[each] != null) {
                    throw new MalformedCode("two attributes " + name);
                }
                found[each] = new Range(begin, at);
            }
        }
        return found;
    }

    private void checkCode(Range code) throws MalformedCode {
        int next = at;
        at = code.begin + 6 + 4; // attribute_name_index, attribute_length; max_stack, max_locals
        skip(next4()); // code
        skip(8 * next2()); // exception_table
        attributes();
        if (at != code.end) {
            throw new MalformedCode("the parts of a Code attribute differ from its length");
        }
        at = next;
    }

    private int next2() throws MalformedCode {
        skip(2);
        return unsigned2(at - 2);
    }

    private long next4() throws MalformedCode {
        skip(4);
        return unsigned4(at - 4);
    }

    private void skip(long length) throws MalformedCode {
        if (length > bytes.length - at) {
            throw new MalformedCode("a part ends after the class file");
        }
        at += (int) length;
    }

    private int unsigned2(int position) {
        return ConstantPool.unsigned2(bytes, position);
    }

    private long unsigned4(int position) {
        return (long) unsigned2(position) << 16 | unsigned2(position + 2);
    }

    /** Returns the name of the class, as in {@code java/util/Map}. */
    public String className() {
        return className;
    }

    /** Returns the major version. */
    public int version() {
        return unsigned2(6);
    }

    /** Returns constant_pool_count, and the constants. */
    public Range pool() {
        return new Range(POOL_COUNT, pool.end());
    }

    /** Returns the methods, in the order of the file. */
    public List<Method> methods() {
        return methods;
    }

    /** Returns the attribute BootstrapMethods of the class; null if there is none. */
    public @Nullable Range bootstrapMethods() {
        return bootstrapMethods;
    }
}
