package mayfly.stack;

import java.util.Set;
import mayfly.profile.Frame;

/**
 * Frames that the JVM leaves out of a Throwable's stack trace: what its method handles and lambdas are made of.
 *
 * <p>HotSpot marks each method ({@code Method::is_hidden}, from {@code @Hidden} in {@code jdk.internal.vm.annotation});
 * that mark is not read here, so this goes by the names that carry it in JDK 11 to 26.
 */
final class HiddenFrames {
    private static final String INVOKE = "java.lang.invoke.";
    /** Classes of java.lang.invoke that are made of hidden methods alone, also those written into the JDK's image. */
    private static final Set<String> CLASSES = Set.of("LambdaForm$DMH", "LambdaForm$MH", "LambdaForm$BMH",
            "LambdaForm$Holder", "Invokers$Holder", "DirectMethodHandle$Holder", "DelegatingMethodHandle$Holder",
            "VarHandleGuards");
    /** Methods that carry the mark, in classes that are otherwise plain. */
    private static final Set<String> METHODS = Set.of(
            "java.lang.ScopedValue$Carrier.runWith",
            "java.lang.Thread.runWith",
            "java.lang.VirtualThread.postPinnedEvent",
            "java.lang.VirtualThread.yieldContinuation",
            "java.lang.VirtualThread$VThreadContinuation$1.run",
            "java.lang.invoke.Invokers.checkVarHandleGenericType",
            "java.lang.invoke.LambdaForm.interpretName",
            "java.lang.invoke.LambdaForm.interpretWithArguments",
            "java.lang.invoke.LambdaForm$NamedFunction.invokeWithArguments",
            "java.lang.invoke.LambdaForm$NamedFunction.invokeWithArgumentsTracing",
            "java.lang.invoke.MethodHandleImpl.guardWithCatch",
            "java.lang.invoke.MethodHandleImpl.isCompileConstant",
            "java.lang.invoke.MethodHandleImpl.loop",
            "java.lang.invoke.MethodHandleImpl.prepend",
            "java.lang.invoke.MethodHandleImpl.profileBoolean",
            "java.lang.invoke.MethodHandleImpl.selectAlternative",
            "java.lang.invoke.MethodHandleImpl.tableSwitch",
            "java.lang.invoke.MethodHandleImpl.tryFinally",
            "java.lang.invoke.MethodHandleImpl$CountingWrapper.getTarget",
            "java.lang.invoke.MethodHandleImpl$CountingWrapper.maybeStopCounting",
            "java.lang.invoke.VarForm.getMemberName",
            "java.security.AccessController.ensureMaterializedForStackWalk",
            "java.security.AccessController.executePrivileged",
            "jdk.internal.reflect.CsMethodAccessorAdapter.invoke",
            "jdk.internal.reflect.DirectConstructorHandleAccessor.invokeImpl",
            "jdk.internal.reflect.DirectMethodHandleAccessor.invokeImpl",
            "jdk.internal.vm.Continuation.enter",
            "jdk.internal.vm.Continuation.enter0",
            "jdk.internal.vm.Continuation.yield",
            "jdk.internal.vm.Continuation.yield0");

    private HiddenFrames() {
    }

    static boolean isHidden(Frame.Managed frame) {
        if (!frame.language().equals("java")) {
            return false;
        }
        String name = frame.type();
        if (name.startsWith(INVOKE)) {
            int suffix = name.indexOf('/');
            if (CLASSES.contains(name.substring(INVOKE.length(), suffix < 0 ? name.length() : suffix))) {
                return true;
            }
        }
        return isLambdaClass(name) || METHODS.contains(frame.label());
    }

    /** What InnerClassLambdaMetafactory spins: {@code A$$Lambda$14/0x…} before JDK 21, {@code A$$Lambda/0x…} since. */
    private static boolean isLambdaClass(String name) {
        int lambda = name.indexOf("$$Lambda");
        return lambda > 0 && name.indexOf('/', lambda) > 0;
    }
}
