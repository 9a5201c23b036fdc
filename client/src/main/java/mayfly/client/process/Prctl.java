package mayfly.client.process;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.util.Optional;

/**
 * prctl(2) with PR_SET_PTRACER, by reflection: this class is compiled for Java 17, and {@code java.lang.foreign} exists
 * from Java 22 on. Nothing is called unless native access is enabled for this module, because the JVM would print a
 * warning.
 */
final class Prctl implements TracePermission {
    /** From linux/prctl.h: "Yama". */
    private static final int PR_SET_PTRACER = 0x59616d61;

    private static final int FIRST_WITH_FOREIGN_CALLS = 22;
    private static final String FOREIGN = "java.lang.foreign.";

    @Override
    public Optional<String> obstacle() {
        int feature = Runtime.version().feature();
        if (feature < FIRST_WITH_FOREIGN_CALLS) {
            return Optional.of("a JVM can permit that from Java " + FIRST_WITH_FOREIGN_CALLS
                    + " on, and this one is Java " + feature);
        }
        try {
            Module module = Prctl.class.getModule();
            if ((boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(module)) {
                return Optional.empty();
            }
            return Optional.of("native access is not enabled: start this JVM with --enable-native-access="
                    + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
        } catch (ReflectiveOperationException e) {
            return Optional.of("this JVM has no native access as Java 22 defines it: " + e);
        }
    }

    @Override
    public Optional<String> permit(long pid) {
        return obstacle().or(() -> call(pid));
    }

    private static Optional<String> call(long pid) {
        try {
            int result = (int) prctl().invokeExact(PR_SET_PTRACER, pid, 0L, 0L, 0L);
            return result == 0
                    ? Optional.empty()
                    : Optional.of("the kernel refused prctl(PR_SET_PTRACER, " + pid + ")");
        } catch (Throwable e) {
            return Optional.of("prctl(2) cannot be called: " + e);
        }
    }

    /** Returns {@code int prctl(int option, ...)}, called with four arguments of the type unsigned long. */
    private static MethodHandle prctl() throws ReflectiveOperationException {
        Class<?> linkerType = Class.forName(FOREIGN + "Linker");
        Class<?> optionType = Class.forName(FOREIGN + "Linker$Option");
        Class<?> layoutType = Class.forName(FOREIGN + "MemoryLayout");
        Class<?> descriptorType = Class.forName(FOREIGN + "FunctionDescriptor");
        Class<?> segmentType = Class.forName(FOREIGN + "MemorySegment");
        Class<?> valueType = Class.forName(FOREIGN + "ValueLayout");
        Object anInt = valueType.getField("JAVA_INT").get(null);
        Object aLong = valueType.getField("JAVA_LONG").get(null);
        Object parameters = array(layoutType, anInt, aLong, aLong, aLong, aLong);
        Object descriptor = descriptorType
                .getMethod("of", layoutType, parameters.getClass())
                .invoke(null, anInt, parameters);
        Object options = array(
                optionType, optionType.getMethod("firstVariadicArg", int.class).invoke(null, 1));
        Object linker = linkerType.getMethod("nativeLinker").invoke(null);
        Object lookup = linkerType.getMethod("defaultLookup").invoke(linker);
        Optional<?> address = (Optional<?>) Class.forName(FOREIGN + "SymbolLookup")
                .getMethod("find", String.class)
                .invoke(lookup, "prctl");
        return (MethodHandle) linkerType
                .getMethod("downcallHandle", segmentType, descriptorType, options.getClass())
                .invoke(linker, address.orElseThrow(), descriptor, options);
    }

    private static Object array(Class<?> type, Object... elements) {
        Object array = Array.newInstance(type, elements.length);
        System.arraycopy(elements, 0, array, 0, elements.length);
        return array;
    }
}
