package mayfly.host.probe.jvm;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import mayfly.api.ClassId;
import mayfly.api.Profiler;
import mayfly.api.code.MethodId;
import mayfly.host.code.MemberTable;
import mayfly.host.probe.ClassFile;
import mayfly.host.probe.MalformedCode;
import mayfly.wire.ProbeCall;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A JVM with one class, which can be redefined: it keeps the class file, and does not define the class again. */
class ScriptedClass extends ScriptedJvm {
    static final String FIRST = "sample.Sample.first";
    static final String SECOND = "sample.Sample.second";
    static final String ALL = "sample.Sample.*";

    final ConcurrentMap<String, Object> targets = new ConcurrentHashMap<>();
    /** The actions that run before the next calls of a kind. */
    final Map<Integer, Deque<Runnable>> scripts = new HashMap<>();

    final Probes probes = new Probes(new Profiler() {}, this);
    private final Class<?> type;
    /** The number of classes that are watched. */
    int watched;
    /** The class file before the host changes it. */
    byte[] original;

    byte[] now;
    /** False if the host has no memory for a class file. */
    boolean hasMemory = true;

    /** True if another agent, which transforms the class after the host, replaces the result by the original. */
    boolean agentReplaces;

    private boolean failing;

    ScriptedClass() {
        this(0);
    }

    /** @param constants the size of the constant pool, if it has not more anyway */
    ScriptedClass(int constants) {
        original = classFile(constants);
        now = original;
        // A loader of its own: the host's classes have no probes.
        type = new ClassLoader(null) {
            Class<?> define() {
                return defineClass("sample.Sample", now, 0, now.length);
            }
        }.define();
    }

    /** Returns the class that can have probes, with two methods. */
    static byte[] classFile(int constants) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, "sample/Sample", null, "java/lang/Object", null);
        for (String name : List.of("first", "second")) {
            MethodVisitor method = writer.visitMethod(Opcodes.ACC_STATIC, name, "(I)I", null, null);
            method.visitCode();
            method.visitVarInsn(Opcodes.ILOAD, 0);
            method.visitInsn(Opcodes.IRETURN);
            method.visitMaxs(1, 1);
            method.visitEnd();
        }
        for (int i = 0; writer.newUTF8("constant " + i) < constants - 1; i++) {}
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Executes this before a call, after some others of its kind. */
    void script(int call, int after, Runnable before) {
        Deque<Runnable> script = scripts.computeIfAbsent(call, key -> new ArrayDeque<>());
        for (int i = 0; i < after; i++) {
            script.add(() -> {});
        }
        script.add(before);
    }

    /** Redefines the class, at the request of the host or of another agent. */
    void redefine(boolean byHost) {
        byte[] made = watched == 0 || !hasMemory
                ? null
                : probes.redefined(new Object[] {type, original, byHost ? null : type});
        now = made == null || agentReplaces ? original : made;
    }

    /** Returns the methods that contain probes. */
    List<String> probed() throws MalformedCode {
        List<String> probed = new ArrayList<>();
        ClassCode code = Objects.requireNonNull(ClassCode.read(
                new ScriptedJvm() {
                    @Override
                    public @Nullable Object call(int call, @Nullable Object argument) {
                        return code();
                    }
                },
                type));
        for (String key : code.methods().keySet()) {
            if (code.record(Set.of(key)).hasProbe()) {
                probed.add(key.substring(0, key.indexOf('(')));
            }
        }
        return probed;
    }

    @Override
    public @Nullable Class<?> @Nullable [] loadedClasses() {
        return new Class<?>[] {type};
    }

    @Override
    public @Nullable MemberTable methods(Class<?> of) {
        Method[] methods = of.getDeclaredMethods();
        int[] numbers = new int[3 * methods.length];
        Object[] described = new Object[1 + 2 * methods.length];
        described[0] = numbers;
        for (int i = 0; i < methods.length; i++) {
            numbers[3 * i] = methods[i].getName().equals("first") ? 1 : 2;
            numbers[3 * i + 1] = methods[i].getModifiers();
            described[2 * i + 1] = methods[i].getName();
            described[2 * i + 2] = "(I)I";
        }
        return new MemberTable(described);
    }

    @Override
    public ClassId id(Class<?> of) {
        return new ClassId(1, 1);
    }

    @Override
    public MethodId id(Class<?> of, int number) {
        return new MethodId(id(of), number);
    }

    @Override
    public @Nullable Object call(int call, @Nullable Object argument) {
        Runnable before = scripts.getOrDefault(call, new ArrayDeque<>()).poll();
        if (before != null) {
            before.run();
        }
        if (failing) {
            failing = false;
            return null;
        }
        switch (call) {
            case ProbeCall.SLOT:
                return targets;
            case ProbeCall.CODE:
                return code();
            case ProbeCall.WATCH:
                watched = ((Class<?>[]) Objects.requireNonNull(argument)).length;
                return new long[] {0};
            case ProbeCall.RETRANSFORM:
                redefine(true);
                return new long[] {0};
            default:
                return new long[] {0};
        }
    }

    /** The present call is not executed, and its answer is null, as with a full heap. */
    void fail() {
        failing = true;
    }

    private Object[] code() {
        try {
            ClassFile file = ClassFile.parse(now);
            int count = (now[8] & 0xff) << 8 | now[9] & 0xff;
            List<Object> code = new ArrayList<>(List.of(
                    new long[] {count}, Arrays.copyOfRange(now, 10, file.pool().end())));
            for (ClassFile.Method method : file.methods()) {
                ClassFile.Range range = Objects.requireNonNull(method.code());
                int begin = range.begin() + 14; // name, length, max_stack, max_locals, code_length
                int length = (now[begin - 2] & 0xff) << 8 | now[begin - 1] & 0xff;
                code.add(method.name());
                code.add(method.key().substring(method.name().length()));
                code.add(Arrays.copyOfRange(now, begin, begin + length));
            }
            return code.toArray();
        } catch (MalformedCode e) {
            throw new AssertionError(e);
        }
    }
}
