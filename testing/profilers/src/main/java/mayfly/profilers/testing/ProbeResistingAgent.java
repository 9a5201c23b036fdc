package mayfly.profilers.testing;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;

/**
 * A standard Java agent, not a Mayfly profiler, that transforms one class of the program in different ways. The
 * argument of each load has a mode, a comma and the name of the class: {@code none} changes nothing, {@code change}
 * replaces a constant, {@code resist} answers class files without probes with bytes that are no class file, {@code
 * refuse} does so with those that have probes, {@code keep} answers class files without probes with the last one that
 * had them, {@code drop} answers class files with probes with the last one without them, and {@code retransform} lets
 * the JVM transform the class now.
 */
public final class ProbeResistingAgent {
    private static final byte[] PROBE = "mayfly/probe/".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ORIGINAL = "original".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLACEMENT = "replaced".getBytes(StandardCharsets.US_ASCII);

    private static volatile String mode = "none";
    private static volatile String className = "";
    private static byte[] probed = new byte[0];
    private static byte[] unprobed = new byte[0];
    private static boolean installed;

    private ProbeResistingAgent() {}

    /** Called by the JVM before main. */
    public static void premain(String arguments, Instrumentation instrumentation) throws Exception {
        agentmain(arguments, instrumentation);
    }

    /** Called by the JVM on attach. */
    public static synchronized void agentmain(String arguments, Instrumentation instrumentation) throws Exception {
        String[] words = arguments.split(",");
        className = words[1];
        if (!installed) {
            installed = true;
            instrumentation.addTransformer(new Transformer(), true);
        }
        if (words[0].equals("retransform")) {
            for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
                if (loaded.getName().equals(className)) {
                    instrumentation.retransformClasses(loaded);
                }
            }
        } else {
            mode = words[0];
        }
    }

    private static final class Transformer implements ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] file) {
            if (name == null || !name.replace('/', '.').equals(className)) {
                return null;
            }
            boolean isProbed = find(file, PROBE) >= 0;
            if (isProbed) {
                probed = file.clone();
            } else {
                unprobed = file.clone();
            }
            return switch (mode) {
                case "resist" -> isProbed ? null : new byte[] {1, 2, 3};
                case "refuse" -> isProbed ? new byte[] {1, 2, 3} : null;
                case "keep" -> isProbed ? null : probed;
                case "drop" -> isProbed ? unprobed : null;
                case "change" -> changed(file);
                default -> null;
            };
        }
    }

    private static byte[] changed(byte[] file) {
        byte[] copy = file.clone();
        int at = find(copy, ORIGINAL);
        if (at >= 0) {
            System.arraycopy(REPLACEMENT, 0, copy, at, REPLACEMENT.length);
        }
        return copy;
    }

    private static int find(byte[] in, byte[] wanted) {
        for (int at = 0; at + wanted.length <= in.length; at++) {
            int same = 0;
            while (same < wanted.length && in[at + same] == wanted[same]) {
                same++;
            }
            if (same == wanted.length) {
                return at;
            }
        }
        return -1;
    }
}
