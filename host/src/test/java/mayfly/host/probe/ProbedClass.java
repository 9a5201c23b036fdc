package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A class with probes in a loader of its own, which verifies it. */
final class ProbedClass {
    /** Larger than each number that {@link ScriptedProvider} has. */
    static final int ABSENT = ScriptedProvider.NUMBERS + 100;

    private final Class<?> type;
    private final Map<Integer, String> names = new TreeMap<>();

    private ProbedClass(byte[] original, int firstNumber) throws Exception {
        Map<String, Integer> probes = new TreeMap<>();
        for (ClassFile.Method method : ClassFile.parse(original).methods()) {
            if (method.code() != null && !method.name().startsWith("<")) {
                names.put(firstNumber + probes.size(), method.name());
                probes.put(method.key(), firstNumber + probes.size());
            }
        }
        Insertion insertion = ProbeCode.insert(original, probes);
        assertThat(insertion.refusals()).isEmpty();
        assertThat(insertion.classFile()).isNotNull();
        type = define(insertion.classFile());
    }

    /** Inserts probes into all methods of a class. */
    static ProbedClass of(byte[] original) throws Exception {
        return new ProbedClass(original, 0);
    }

    /** Inserts probes whose keys the JDK does not have. */
    static ProbedClass withAbsentKeys(byte[] original) throws Exception {
        return new ProbedClass(original, ABSENT);
    }

    static byte[] bytes(Class<?> type) throws IOException {
        String name = type.getName();
        try (InputStream in = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    /** Defines and links a class. */
    static Class<?> define(byte[] bytes) throws Exception {
        class Loader extends ClassLoader {
            Loader() {
                super(ClassLoader.getPlatformClassLoader());
            }

            Class<?> define() {
                return defineClass(null, bytes, 0, bytes.length);
            }
        }
        Class<?> type = new Loader().define();
        assertThat(type.getDeclaredMethods()).isNotEmpty(); // HotSpot verifies the class before it lists them
        return type;
    }

    /** The result of a call: a value or an exception, and the calls of the probes. */
    record Call(Object result, List<String> events) {}

    /** Calls a static method; its events have the names of methods: {@code +run}. */
    Call call(String name, Object... arguments) throws Exception {
        Method method = method(type, name);
        List<String> events = new ArrayList<>();
        ScriptedProvider.start((number, kind) -> events.add(kind + names.get(number)));
        try {
            return new Call(invoke(method, arguments), events);
        } finally {
            ScriptedProvider.stop();
        }
    }

    /** Calls a static method of a class; returns its value, "void" for null, or the text of its exception. */
    static Object call(Class<?> type, String name, Object... arguments) throws Exception {
        return invoke(method(type, name), arguments);
    }

    private static Object invoke(Method method, Object... arguments) throws IllegalAccessException {
        try {
            Object result = method.invoke(null, arguments);
            return result == null ? "void" : result;
        } catch (InvocationTargetException e) {
            return e.getCause().toString();
        }
    }

    private static Method method(Class<?> type, String name) {
        for (Method each : type.getDeclaredMethods()) {
            if (each.getName().equals(name)) {
                each.setAccessible(true);
                return each;
            }
        }
        throw new AssertionError(name);
    }
}
