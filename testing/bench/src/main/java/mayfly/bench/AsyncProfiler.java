package mayfly.bench;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * async-profiler from Maven Central, loaded into the target, with its perf cpu-clock event and its VM stack walker. Its
 * timer engine is omitted: POSIX CPU timers cannot deliver more than the kernel's HZ per thread.
 */
final class AsyncProfiler implements Rival {
    /**
     * Frames at the root of a thread's stack; in async-profiler's vm mode a Java thread's stack begins with its first
     * Java frame.
     */
    private static final Set<String> ROOTS = Set.of(
            "java.lang.Thread.run",
            "java.lang.Thread.runWith",
            "java.lang.VirtualThread.run",
            "jdk.internal.vm.Continuation.enter",
            "clone3",
            "clone",
            "start_thread",
            "_start",
            "__libc_start_call_main",
            "__libc_start_main",
            "thread_native_entry");

    private final Path library;
    private final String version;

    AsyncProfiler(Path folder) throws IOException {
        library = folder.resolve("libasyncProfiler.so");
        try (InputStream in = resource("linux-x64/libasyncProfiler.so")) {
            Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
        }
        Properties words = new Properties();
        try (InputStream in = resource("META-INF/maven/tools.profiler/async-profiler/pom.properties")) {
            words.load(in);
        }
        version = words.getProperty("version", "of unknown version");
    }

    private static InputStream resource(String name) throws IOException {
        InputStream in = ClassLoader.getSystemResourceAsStream(name);
        if (in == null) {
            throw new IOException("async-profiler's jar has no " + name);
        }
        return in;
    }

    @Override
    public String name() {
        return "async-profiler " + version + " (cpu-clock, vm)";
    }

    @Override
    public boolean supports(Jdk jdk) {
        return true;
    }

    @Override
    public String completeMeans() {
        return "async-profiler: the frame at the root is one of a thread's first frames ("
                + String.join(", ", ROOTS.stream().sorted().toList())
                + ", or a `main`), and not a `[break_…]`, `[unknown]` or any other frame.";
    }

    private static String settings(int hz) {
        return "event=cpu-clock,interval=" + 1_000_000_000L / hz + ",cstack=vm,jstackdepth=4096,quiet";
    }

    @Override
    public Recorded record(Jvm jvm, int hz, Duration duration) throws RivalFailed {
        try (Agent agent = new Agent(jvm)) {
            agent.command("start," + settings(hz));
            Windows.rest(duration);
            agent.command("stop,quiet");
            return judged(agent.collapsed());
        }
    }

    private static Recorded judged(Counts counts) {
        long complete = 0;
        Map<String, Long> missing = new TreeMap<>();
        for (var stack : counts.stacks().entrySet()) {
            String root = stack.getKey().substring(0, (stack.getKey() + ";").indexOf(';'));
            if (ROOTS.contains(root) || root.endsWith(".main")) {
                complete += stack.getValue();
            } else {
                missing.merge(root, stack.getValue(), Long::sum);
            }
        }
        return new Recorded(counts, complete, missing);
    }

    @Override
    public Toggle toggle(Jvm jvm, int hz) throws RivalFailed {
        return toggle(jvm, settings(hz));
    }

    /** Prepares its wall-clock mode, which looks at all threads each 10 ms. */
    Toggle wall(Jvm jvm) throws RivalFailed {
        return toggle(jvm, "event=wall,interval=10000000,cstack=vm,jstackdepth=4096,quiet");
    }

    /** Records allocation, in bytes: an object each 64 KiB of a thread, with its class at the leaf. */
    Counts allocations(Jvm jvm, Runnable work) throws RivalFailed {
        try (Agent agent = new Agent(jvm)) {
            agent.command("start,event=alloc,alloc=65536,jstackdepth=4096,quiet");
            work.run();
            agent.command("stop,quiet");
            return withClasses(agent.collapsed("collapsed,total,quiet"));
        }
    }

    /** Returns the same stacks with the name of the class at the leaf in brackets. */
    private static Counts withClasses(Counts counts) {
        Map<String, Long> stacks = new TreeMap<>();
        counts.stacks().forEach((stack, bytes) -> {
            int leaf = stack.lastIndexOf(';') + 1;
            String type = stack.substring(leaf).replaceFirst("_\\[[ik]]$", "");
            stacks.merge(stack.substring(0, leaf) + "[new " + type + "]", bytes, Long::sum);
        });
        return new Counts(stacks);
    }

    private Toggle toggle(Jvm jvm, String settings) throws RivalFailed {
        Agent agent = new Agent(jvm);
        return new Toggle() {
            private boolean started;
            private long began;
            private long nanos;

            @Override
            public void on() throws RivalFailed {
                agent.command((started ? "resume," : "start,") + settings);
                started = true;
                began = System.nanoTime();
            }

            @Override
            public void off() throws RivalFailed {
                nanos += System.nanoTime() - began;
                agent.command("stop,quiet");
            }

            @Override
            public long onNanos() {
                return nanos;
            }

            @Override
            public long samples() throws RivalFailed {
                return agent.collapsed().total();
            }

            @Override
            public void close() {
                agent.close();
            }
        };
    }

    @Override
    public StartUp startUp(Jvm jvm, int hz) throws RivalFailed {
        Command start = Command.run(
                Duration.ofMinutes(1),
                jvm.jdk().tool("jcmd").toString(),
                Long.toString(jvm.pid()),
                "JVMTI.agent_load",
                library.toString(),
                // jcmd would interpret an unquoted word with an equals sign as an option of its own.
                "\"start," + settings(hz) + "\"");
        Agent agent = new Agent(jvm);
        agent.command("stop,quiet");
        agent.close();
        if (start.exitCode() != 0) {
            throw new RivalFailed(start.evidence());
        }
        return new StartUp(start.wall().toNanos() / 1e6, "`jcmd JVMTI.agent_load` has started it");
    }

    /** The library in one target, controlled through the attach mechanism. */
    private final class Agent implements AutoCloseable {
        private final VirtualMachine machine;

        Agent(Jvm jvm) throws RivalFailed {
            try {
                machine = VirtualMachine.attach(Long.toString(jvm.pid()));
            } catch (AttachNotSupportedException | IOException e) {
                throw new RivalFailed("attach to " + jvm.pid(), e);
            }
        }

        void command(String words) throws RivalFailed {
            try {
                machine.loadAgentPath(library.toString(), words);
            } catch (AgentLoadException | AgentInitializationException | IOException e) {
                throw new RivalFailed("async-profiler " + words, e);
            }
        }

        Counts collapsed() throws RivalFailed {
            return collapsed("collapsed,quiet");
        }

        Counts collapsed(String words) throws RivalFailed {
            Path file = library.resolveSibling("async-profiler.collapsed");
            command(words + ",file=" + file);
            try {
                List<String> lines = Files.readAllLines(file);
                Files.delete(file);
                return Counts.parse(String.join("\n", lines).replace('/', '.'));
            } catch (IOException e) {
                throw new RivalFailed("read " + file, e);
            }
        }

        @Override
        public void close() {
            try {
                machine.detach();
            } catch (IOException e) {
                System.err.println("detach: " + e.getMessage());
            }
        }
    }
}
