package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.audit.Audit;
import mayfly.discovery.Refused;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.TestInfo;

/**
 * Two JVMs of different JDKs that run in one process, and their runtime ids.
 *
 * @param jvm the process; its main program runs in the JVM that started second
 * @param aside the JVM that started first
 * @param churn the JVM that started second
 */
record JvmPair(Jvm jvm, RuntimeId.Choice aside, RuntimeId.Choice churn) implements AutoCloseable {
    /** The tunable that sidebyside.c explains. */
    private static final String ARENAS = "glibc.malloc.arena_max=2000";
    /** With glibc 2.43 the process dies soon after the limit is reached. Each arena needs two of 65,530 mappings. */
    private static final String ARENAS_OF_NEWER = "glibc.malloc.arena_max=20000";

    /** Returns the JDKs of the JVM that starts second, for tests that run on all of them. */
    static List<Jdk> jdks() {
        return AttachTest.hosts();
    }

    /**
     * Returns the JDK of the JVM that starts second; the other one starts first. JDK 11 is left out, because it hosts
     * no profiler, and because HotSpot 11 ends with SIGSEGV if it starts second in sidebyside.
     */
    static List<Jdk> seconds(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Returns the JDK of the JVM that starts first: 17, or 25 if the second is 17. */
    static Jdk first(Jdk second) {
        Optional<Jdk> other = Scale.usual().stream()
                .filter(jdk -> jdk.feature() != second.feature())
                .findFirst();
        assumeTrue(other.isPresent(), "neither JDK 17 nor 25 is installed beside " + second);
        return other.get();
    }

    /** Starts the second JVM beside another one, which started first. */
    static JvmPair start(Jdk second) throws IOException {
        return start(second, "");
    }

    /**
     * Starts two JVMs.
     *
     * @param launchOption the value of JAVA_TOOL_OPTIONS, empty for none
     */
    static JvmPair start(Jdk second, String launchOption) throws IOException {
        Jdk first = first(second);
        Jvm.Plan plan = plan(
                "ThreadAndClassChurn",
                "sidebyside",
                List.of(first, second),
                first.libjvm().toString(),
                "mayfly.targets.SecondJvmLoad",
                second.libjvm().toString());
        Jvm jvm = launchOption.isEmpty()
                ? plan.start()
                : plan.environment("JAVA_TOOL_OPTIONS", launchOption).start();
        try {
            Command ps = CommandLine.run("ps", "--json");
            return new JvmPair(jvm, runtime(ps, jvm, first), runtime(ps, jvm, second));
        } catch (AssertionError e) {
            jvm.close();
            throw e;
        }
    }

    /**
     * Returns a plan for a native program that loads JVMs. One of the JDKs may need a newer C library than this machine
     * has; the JVMs of older JDKs run with it too.
     *
     * @param mainClass the program of the JVM that starts last
     * @param program the name of the source file
     * @param jdks the JDKs, the last one to start at the end
     */
    static Jvm.Plan plan(String mainClass, String program, List<Jdk> jdks, String... arguments) throws IOException {
        List<String> linker = jdks.stream()
                .sorted(Comparator.comparingInt(Jdk::feature).reversed())
                .map(Jdk::dynamicLinker)
                .filter(words -> !words.isEmpty())
                .findFirst()
                .orElse(List.of());
        return Jvm.run(mainClass)
                .on(jdks.getLast())
                .environment("GLIBC_TUNABLES", linker.isEmpty() ? ARENAS : ARENAS_OF_NEWER)
                .under(Stream.of(linker, List.of(CSource.program(program).toString()), List.of(arguments))
                        .flatMap(List::stream)
                        .toArray(String[]::new));
    }

    private static RuntimeId.Choice runtime(Command ps, Jvm jvm, Jdk jdk) {
        Matcher found = Pattern.compile("\\{\"pid\":" + jvm.pid() + ",\"runtime\":\"r([12])\",\"version\":\""
                        + Pattern.quote(jdk.version()))
                .matcher(ps.stdout());
        assertThat(found.find()).as(ps.evidence()).isTrue();
        return new RuntimeId.Choice("r" + found.group(1));
    }

    int pid() {
        return Math.toIntExact(jvm.pid());
    }

    Audit audit() throws Refused {
        return Audit.of(pid());
    }

    @Override
    public void close() {
        jvm.close();
    }
}
