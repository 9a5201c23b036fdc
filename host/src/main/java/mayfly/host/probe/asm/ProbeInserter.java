package mayfly.host.probe.asm;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import mayfly.api.probe.ProbeRefusal;
import mayfly.host.probe.ClassFile;
import mayfly.host.probe.ClassFile.Method;
import mayfly.host.probe.Insertion;
import mayfly.host.probe.MalformedCode;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Inserts probes into a class. {@code mayfly.host.probe.ProbeCode}, which is in another loader, creates it. */
public final class ProbeInserter implements BiFunction<byte[], Map<String, Integer>, Insertion> {
    /** The newest class file version that ASM reads. */
    private static final int NEWEST = Opcodes.V27;
    /** The version from which on methods have stack map frames: JVMS 4.10. */
    private static final int FRAMES_SINCE = 50;

    /** For {@code mayfly.host.probe.ProbeCode}. */
    public ProbeInserter() {}

    /**
     * Inserts probes into the methods of a class.
     *
     * @param probes the numbers of the methods' keys by name and descriptor
     */
    @Override
    public Insertion apply(byte[] bytes, Map<String, Integer> probes) {
        try {
            return insert(bytes, probes);
        } catch (MalformedCode | RuntimeException | StackOverflowError e) {
            // ASM throws many exceptions for malformed files, and nested annotations can exhaust the stack.
            return refusal(probes, ProbeRefusal.MALFORMED);
        }
    }

    private static Insertion refusal(Map<String, Integer> probes, ProbeRefusal reason) {
        Map<String, ProbeRefusal> refusals = new TreeMap<>();
        refuse(refusals, probes, reason);
        return new Insertion(null, refusals);
    }

    private static void refuse(Map<String, ProbeRefusal> refusals, Map<String, ?> methods, ProbeRefusal reason) {
        for (String method : methods.keySet()) {
            refusals.put(method, reason);
        }
    }

    private static Insertion insert(byte[] bytes, Map<String, Integer> probes) throws MalformedCode {
        ClassFile file = ClassFile.parse(bytes);
        if (file.version() > NEWEST) {
            return refusal(probes, ProbeRefusal.UNSUPPORTED_VERSION);
        }
        Map<String, ProbeRefusal> refusals = new TreeMap<>();
        refuse(refusals, probes, ProbeRefusal.NO_SUCH_METHOD);
        Map<String, Method> chosen = new TreeMap<>();
        for (Method method : file.methods()) {
            if (!probes.containsKey(method.key())) {
                continue;
            }
            ProbeRefusal reason = refusal(method);
            if (reason == null) {
                refusals.remove(method.key());
                chosen.put(method.key(), method);
            } else {
                refusals.put(method.key(), reason);
            }
        }
        Map<String, MethodScan> scans = scan(bytes, file, chosen, refusals);
        while (!chosen.isEmpty()) {
            try {
                byte[] changed = change(ReducedClass.of(bytes, file, chosen.values()), file, probes, scans);
                return new Insertion(ReducedClass.merged(bytes, file, changed), refusals);
            } catch (MethodTooLargeException e) {
                String key = e.getMethodName() + e.getDescriptor();
                chosen.remove(key);
                refusals.put(key, ProbeRefusal.TOO_LARGE);
            } catch (ClassTooLargeException e) {
                refuse(refusals, chosen, ProbeRefusal.CONSTANT_POOL_FULL);
                chosen.clear();
            }
        }
        return new Insertion(null, refusals);
    }

    private static @Nullable ProbeRefusal refusal(Method method) throws MalformedCode {
        if ((method.flags() & Opcodes.ACC_NATIVE) != 0) {
            return ProbeRefusal.NATIVE;
        }
        if ((method.flags() & Opcodes.ACC_ABSTRACT) != 0) {
            return ProbeRefusal.ABSTRACT;
        }
        if (method.name().equals("<init>")) {
            return ProbeRefusal.CONSTRUCTOR;
        }
        if (method.name().equals("<clinit>")) {
            return ProbeRefusal.CLASS_INITIALIZER;
        }
        return method.code() == null ? ProbeRefusal.MALFORMED : null;
    }

    /** Scans the chosen methods, and removes those that cannot have a probe. */
    private static Map<String, MethodScan> scan(
            byte[] bytes, ClassFile file, Map<String, Method> chosen, Map<String, ProbeRefusal> refusals) {
        Map<String, MethodScan> scans = new HashMap<>();
        new ClassReader(ReducedClass.of(bytes, file, chosen.values()))
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int flags,
                                    String name,
                                    String descriptor,
                                    @Nullable String signature,
                                    String @Nullable [] exceptions) {
                                MethodScan scan = new MethodScan();
                                scans.put(name + descriptor, scan);
                                return scan;
                            }
                        },
                        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        for (Map.Entry<String, MethodScan> each : scans.entrySet()) {
            if (each.getValue().isIntrinsic() || !each.getValue().hasRoom()) {
                chosen.remove(each.getKey());
                refusals.put(
                        each.getKey(), each.getValue().isIntrinsic() ? ProbeRefusal.INTRINSIC : ProbeRefusal.TOO_LARGE);
            }
        }
        return scans;
    }

    /** The result of ASM is not used but for the constant pool and the code. */
    private static byte[] change(
            byte[] reduced, ClassFile file, Map<String, Integer> probes, Map<String, MethodScan> scans) {
        boolean hasFrames = file.version() >= FRAMES_SINCE;
        ClassReader reader = new ClassReader(reduced);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int flags,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        return new ProbedMethod(
                                super.visitMethod(flags, name, descriptor, signature, exceptions),
                                file.className(),
                                flags,
                                descriptor,
                                Objects.requireNonNull(probes.get(name + descriptor)),
                                Objects.requireNonNull(scans.get(name + descriptor)),
                                hasFrames);
                    }
                },
                hasFrames ? ClassReader.EXPAND_FRAMES : ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }
}
