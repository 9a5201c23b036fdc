package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profilers.testing.CompiledMethodsProfiler;
import mayfly.stack.CodeAddresses;
import mayfly.stack.FrameCallback;
import mayfly.stack.ThreadWalks;
import mayfly.stack.WalkRequest;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code at addresses of a process. */
class CodeAddressesTest {
    @TempDir
    private Path folder;

    /** A line of Compiler.codelist: ids, method and descriptor, and the addresses of the blob, its code and its end. */
    private static final Pattern COMPILED =
            Pattern.compile("[\\d ]+ ([^ (]+)(\\([^ ]+) \\[0x[0-9a-f]+, (0x[0-9a-f]+) - (0x[0-9a-f]+)\\].*");

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Jdk> hosts(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static List<Jdk> seconds(TestInfo test) {
        return JvmPair.seconds(test);
    }

    /** Returns the compiled methods of a JVM according to itself, by the first address of their code. */
    private static Map<Long, String> compiled(Jvm jvm) {
        Command list = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Compiler.codelist");
        Map<Long, String> methods = new TreeMap<>();
        list.stdout().lines().map(COMPILED::matcher).filter(Matcher::matches).forEach(line -> {
            long begin = Long.decode(line.group(3));
            long end = Long.decode(line.group(4));
            String method = line.group(1) + line.group(2);
            methods.put(begin, method);
            methods.put(begin + (end - begin) / 2, method);
            methods.put(end - 1, method);
        });
        assertThat(methods).as(list.evidence()).hasSizeGreaterThan(100);
        return methods;
    }

    private static String physical(List<Frame> frames) {
        Frame.Managed method = (Frame.Managed) frames.getLast();
        return method.type() + "." + method.method() + method.descriptor();
    }

    @Requirement("X-06")
    @ParameterizedTest
    @MethodSource("jdks")
    void methodAtEachAddressOfCompiledCodeIsThatOfTheJvmsOwnList(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("1").on(jdk).start()) {
            Map<Long, String> before = compiled(jvm);
            List<Long> addresses =
                    before.keySet().stream().limit(CodeAddresses.MAX_ADDRESSES).toList();
            CodeAddresses found = CodeAddresses.of((int) jvm.pid(), addresses, Optional.empty());
            Map<Long, String> after = compiled(jvm);
            int compared = 0;
            for (CodeAddresses.Code code : found.code()) {
                String method = before.get(code.address());
                if (method.equals(after.get(code.address()))) { // the JVM may free code meanwhile
                    compared++;
                    assertThat(code.frames())
                            .as("0x%x %s", code.address(), method)
                            .isNotEmpty();
                    assertThat(physical(code.frames())).isEqualTo(method);
                }
            }
            assertThat(compared).isGreaterThan(addresses.size() / 2);
        }
    }

    private static List<String> inside(Attached profiler, Collection<Long> addresses) throws Exception {
        return profiler.ask("at " + addresses.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .lines()
                .toList();
    }

    /**
     * The first round enumerates the code; the others have what was compiled and released since. The JVM's list counts
     * the stubs at the end of a method as its code, and JVMTI does not. The intrinsics of method handles are left out:
     * all of them have one method id, so that JVMTI reports the name of one for each.
     */
    @Requirement("I-03")
    @ParameterizedTest
    @MethodSource("hosts")
    void methodAtAnAddressInsideIsThatOfTheJvmsOwnListAndOtherCodeIsUnknown(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("compiled.jar"),
                ProfilerJars.manifest(CompiledMethodsProfiler.class.getName(), "1", "COMPILED_METHODS"));
        try (Jvm jvm = Jvm.run("Busy").args("1").on(jdk).start()) {
            Attached profiler = Attached.by(Attached.request(jvm, jar, ""));
            for (int round = 0; round < 5; round++) {
                Map<Long, String> before = compiled(jvm);
                List<String> found = inside(profiler, before.keySet());
                Map<Long, String> after = compiled(jvm);
                int known = 0;
                int at = 0;
                for (Map.Entry<Long, String> each : before.entrySet()) {
                    String method = found.get(at++);
                    boolean isIntrinsic =
                            each.getValue().matches("java\\.lang\\.invoke\\.MethodHandle\\.(link|invoke).*");
                    // The JVM may free code meanwhile.
                    if (!isIntrinsic && each.getValue().equals(after.get(each.getKey()))) {
                        known += method.equals("unknown") ? 0 : 1;
                        assertThat(method).as("0x%x", each.getKey()).isIn(each.getValue(), "unknown");
                    }
                }
                assertThat(known).as("%s", found).isGreaterThan(before.size() / 2);
                List<Long> others =
                        List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, libjvm(jvm), libjvm(jvm) + 100_000);
                assertThat(inside(profiler, others)).hasSize(others.size()).containsOnly("unknown");
            }
            profiler.detach();
        }
    }

    /** Returns an address of native code. */
    private static long libjvm(Jvm jvm) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc", Long.toString(jvm.pid()), "maps"))) {
            return maps.filter(line -> line.endsWith("/libjvm.so"))
                    .map(line -> Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** The oracle is a walk, which has the address of each frame and its runtime. */
    @Requirement("X-06")
    @ParameterizedTest
    @MethodSource("seconds")
    void eachAddressIsKnownToTheRuntimeOfItsFrameAndUnknownToTheOther(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Map<Long, Frame> walked = walked(pair);
            List<Long> addresses = List.copyOf(walked.keySet());
            CodeAddresses all = CodeAddresses.of(pair.pid(), addresses, Optional.empty());
            CodeAddresses ofFirst = only(pair, "r1", addresses);
            CodeAddresses ofSecond = only(pair, "r2", addresses);
            int compared = 0;
            for (int i = 0; i < addresses.size(); i++) {
                Frame frame = walked.get(addresses.get(i));
                if (all.code().get(i).frames().isEmpty()) {
                    continue; // the JVM has freed the code since the walk
                }
                compared++;
                assertThat(runtime(all.code().get(i).frames().getLast()))
                        .as("%s", frame)
                        .isEqualTo(runtime(frame));
                boolean isOfFirst = runtime(frame).equals(new RuntimeId(1));
                assertThat((isOfFirst ? ofFirst : ofSecond).code().get(i))
                        .isEqualTo(all.code().get(i));
                assertThat((isOfFirst ? ofSecond : ofFirst).code().get(i).frames())
                        .isEmpty();
            }
            assertThat(compared).isGreaterThan(addresses.size() / 2);
            String address = "0x" + Long.toHexString(addresses.getFirst());
            String owner = runtime(walked.get(addresses.getFirst())).toString();
            Command command = CommandLine.run("stack", "--at", address + ",0x10", Integer.toString(pair.pid()));
            assertThat(command.exitCode()).as(command.evidence()).isZero();
            assertThat(command.stdout())
                    .startsWith(address + " " + owner + "\n\tat ")
                    .endsWith("\n0x10 unknown");
            String other = owner.equals("r1") ? "r2" : "r1";
            Command unknown =
                    CommandLine.run("stack", "--at", address, "--runtime", other, Integer.toString(pair.pid()));
            assertThat(unknown.stdout()).as(unknown.evidence()).isEqualTo(address + " unknown");
        }
    }

    private static CodeAddresses only(JvmPair pair, String runtime, List<Long> addresses) throws Exception {
        return CodeAddresses.of(pair.pid(), addresses, Optional.of(new RuntimeId.Choice(runtime)));
    }

    /** Returns the managed frames and stubs of both JVMs by their addresses. */
    private static Map<Long, Frame> walked(JvmPair pair) throws Exception {
        Map<Long, Frame> frames = new HashMap<>();
        Deadline deadline = Deadline.in(Attached.LIMIT);
        try (ThreadWalks walks = ThreadWalks.open(pair.pid())) {
            while (frames.values().stream()
                            .map(CodeAddressesTest::runtime)
                            .distinct()
                            .count()
                    < 2) {
                deadline.check("frames: %s", frames.values());
                for (TargetThread thread : walks.threads()) {
                    walks.walk(
                            WalkRequest.of(thread.tid()),
                            (report, data) -> {
                                if (report.frame() instanceof Frame.Managed || report.frame() instanceof Frame.Stub) {
                                    data.put(report.registers().pc(), report.frame());
                                }
                                return FrameCallback.Action.CONTINUE;
                            },
                            frames);
                }
            }
        }
        return frames;
    }

    private static RuntimeId runtime(Frame frame) {
        return frame instanceof Frame.Managed managed ? managed.runtime() : ((Frame.Stub) frame).runtime();
    }
}
