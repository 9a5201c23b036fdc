package mayfly.host.probe.asm;

import java.io.ByteArrayOutputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import mayfly.host.probe.ClassFile;
import mayfly.host.probe.ClassFile.Method;
import mayfly.host.probe.ClassFile.Range;
import mayfly.host.probe.MalformedCode;
import org.jspecify.annotations.Nullable;

/**
 * A class file reduced to the methods that get probes, for ASM. All other parts of the class, and all other methods,
 * are copied from the original file byte by byte: ASM writes anew what it reads.
 */
final class ReducedClass {
    /** access_flags, this_class, super_class; and access_flags, name_index, descriptor_index of a method. */
    private static final int HEAD = 6;

    private static final int VERSION_END = 8;

    private ReducedClass() {}

    /** Returns the constant pool, the bootstrap methods, and the given methods with their code and annotations. */
    static byte[] of(byte[] bytes, ClassFile file, Collection<Method> methods) {
        var out = new ByteArrayOutputStream();
        out.write(bytes, 0, VERSION_END);
        write(out, bytes, file.pool());
        out.write(bytes, file.pool().end(), HEAD);
        write2(out, 0); // interfaces
        write2(out, 0); // fields
        write2(out, methods.size());
        for (Method method : methods) {
            out.write(bytes, method.begin(), HEAD);
            writeAttributes(out, bytes, method.code(), method.annotations());
        }
        writeAttributes(out, bytes, file.bootstrapMethods());
        return out.toByteArray();
    }

    /**
     * Returns the original class with the constant pool and the code of a changed reduced class. The constants of the
     * original class have the same indices in the changed pool.
     */
    static byte[] merged(byte[] bytes, ClassFile file, byte[] changed) throws MalformedCode {
        ClassFile changedFile = ClassFile.parse(changed);
        Map<String, Range> codes = new HashMap<>();
        for (Method method : changedFile.methods()) {
            codes.put(method.key(), method.code());
        }
        var out = new ByteArrayOutputStream(bytes.length + changed.length);
        out.write(bytes, 0, VERSION_END);
        write(out, changed, changedFile.pool());
        int copied = file.pool().end();
        for (Method method : file.methods()) {
            Range code = codes.get(method.key());
            Range original = method.code();
            if (code != null && original != null) {
                out.write(bytes, copied, original.begin() - copied);
                write(out, changed, code);
                copied = original.end();
            }
        }
        // ASM copies the bootstrap methods, and adds one again if the class has one of its constants twice.
        Range bootstrapMethods = file.bootstrapMethods();
        Range changedBootstrapMethods = changedFile.bootstrapMethods();
        if (bootstrapMethods != null && changedBootstrapMethods != null) {
            out.write(bytes, copied, bootstrapMethods.begin() - copied);
            write(out, changed, changedBootstrapMethods);
            copied = bootstrapMethods.end();
        }
        out.write(bytes, copied, bytes.length - copied);
        return out.toByteArray();
    }

    private static void writeAttributes(ByteArrayOutputStream out, byte[] bytes, @Nullable Range... attributes) {
        int count = 0;
        for (Range each : attributes) {
            count += each == null ? 0 : 1;
        }
        write2(out, count);
        for (Range each : attributes) {
            if (each != null) {
                write(out, bytes, each);
            }
        }
    }

    private static void write(ByteArrayOutputStream out, byte[] bytes, Range range) {
        out.write(bytes, range.begin(), range.end() - range.begin());
    }

    private static void write2(ByteArrayOutputStream out, int value) {
        out.write(value >> 8);
        out.write(value);
    }
}
