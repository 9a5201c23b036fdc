package mayfly.profilers.testing;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;

/** An independent Java agent. It counts the classes passed to it and stores the number in a system property. */
public final class CountingAgent implements ClassFileTransformer {
    private final AtomicLong shown = new AtomicLong();

    private CountingAgent() {}

    /** Called by the JVM before main. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new CountingAgent());
    }

    @Override
    public byte[] transform(
            Module module, ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        System.setProperty("mayfly.testing.shown", Long.toString(shown.incrementAndGet()));
        return null;
    }
}
