package mayfly.e2e;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process without Mayfly code that traces a thread until it is closed, as a debugger would. */
final class HeldThread implements AutoCloseable {
    private static final int PTRACE_SEIZE = 0x4206;

    private final Process process;

    private HeldThread(Process process) {
        this.process = process;
    }

    static HeldThread of(int tid) throws Exception {
        Path classes = Path.of(HeldThread.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classes.toString(),
                        HeldThread.class.getName(),
                        Integer.toString(tid))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (!"0".equals(said)) {
            process.destroyForcibly();
            throw new IOException("ptrace returned " + said);
        }
        return new HeldThread(process);
    }

    @SuppressWarnings("restricted")
    static void main(String[] arguments) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle ptrace = linker.downcallHandle(
                linker.defaultLookup().find("ptrace").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
        System.out.println((long) ptrace.invokeExact((long) PTRACE_SEIZE, Long.parseLong(arguments[0]), 0L, 0L));
        System.in.read();
    }

    long tracer() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
