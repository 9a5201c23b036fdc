package mayfly.host.frame;

/**
 * The methods whose frames the JVM hides: those that the JDK has annotated with
 * {@code jdk.internal.vm.annotation.Hidden}, and those of the classes generated for lambda expressions and method
 * handles. The rows are the union for JDK 17 to 26.
 */
public final class HiddenMethods {
    /** Classes in which every method is hidden. */
    private static final String[] CLASSES = {
        "java.lang.invoke.DelegatingMethodHandle$Holder",
        "java.lang.invoke.DirectMethodHandle$Holder",
        "java.lang.invoke.Invokers$Holder",
        "java.lang.invoke.LambdaForm$Holder",
        "java.lang.invoke.VarHandleGuards",
    };

    /** Other classes, each followed by its hidden methods. */
    private static final String[][] METHODS = {
        {"java.lang.ScopedValue$Carrier", "runWith"},
        {"java.lang.Thread", "runWith"},
        {"java.lang.VirtualThread", "postPinnedEvent", "yieldContinuation"},
        {"java.lang.VirtualThread$VThreadContinuation$1", "run"},
        {"java.lang.invoke.Invokers", "checkVarHandleGenericType"},
        {"java.lang.invoke.LambdaForm", "interpretName", "interpretWithArguments"},
        {"java.lang.invoke.LambdaForm$NamedFunction", "invokeWithArguments", "invokeWithArgumentsTracing"},
        {
            "java.lang.invoke.MethodHandleImpl",
            "guardWithCatch",
            "isCompileConstant",
            "loop",
            "prepend",
            "profileBoolean",
            "selectAlternative",
            "tableSwitch",
            "tryFinally"
        },
        {"java.lang.invoke.MethodHandleImpl$CountingWrapper", "getTarget", "maybeStopCounting"},
        {"java.lang.invoke.VarForm", "getMemberName"},
        {"java.security.AccessController", "ensureMaterializedForStackWalk", "executePrivileged", "wrapException"},
        {"jdk.internal.reflect.CsMethodAccessorAdapter", "invoke"},
        {"jdk.internal.reflect.DirectConstructorHandleAccessor", "invokeImpl"},
        {"jdk.internal.reflect.DirectMethodHandleAccessor", "invokeImpl"},
        {"jdk.internal.vm.Continuation", "enter", "enter0", "yield", "yield0"},
    };

    private HiddenMethods() {}

    /** Returns true if the frame belongs to a hidden method. */
    public static boolean contain(StackTraceElement frame) {
        String name = frame.getClassName();
        // Generated at run time, without a file: Program$$Lambda/0x..., java.lang.invoke.LambdaForm$MH/0x...
        if (name.indexOf('/') >= 0) {
            return name.contains("$$Lambda") || name.startsWith("java.lang.invoke.LambdaForm$");
        }
        if (!name.startsWith("java.") && !name.startsWith("jdk.")) {
            return false;
        }
        for (String each : CLASSES) {
            if (each.equals(name)) {
                return true;
            }
        }
        for (String[] each : METHODS) {
            if (each[0].equals(name)) {
                return isAmong(each, frame.getMethodName());
            }
        }
        return false;
    }

    private static boolean isAmong(String[] row, String method) {
        for (int i = 1; i < row.length; i++) {
            if (row[i].equals(method)) {
                return true;
            }
        }
        return false;
    }
}
