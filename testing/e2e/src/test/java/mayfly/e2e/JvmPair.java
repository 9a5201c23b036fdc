package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** Returns the JDKs that run with this machine's C library: JDKs built for newer systems need a newer one. */
    static List<Jdk> jdks() {
        return AttachTest.hosts().stream().filter(JvmPair::isOfAPair).toList();
    }

    /** Returns the JDK of the JVM that starts second; the other one starts first. */
    static List<Jdk> seconds(TestInfo test) {
        return AttachTest.jdks(test).stream().filter(JvmPair::isOfAPair).toList();
    }

    private static boolean isOfAPair(Jdk jdk) {
        return jdk.feature() == 17 || jdk.feature() == 25;
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
        List<Jdk> others =
                jdks().stream().filter(jdk -> jdk.feature() != second.feature()).toList();
        assumeFalse(others.isEmpty(), "there is only one JDK");
        Jdk first = others.getFirst();
        Path program = program();
        Jvm.Plan plan = Jvm.run("ThreadAndClassChurn")
                .on(second)
                .environment("GLIBC_TUNABLES", "glibc.malloc.arena_max=2000")
                .under(
                        program.toString(),
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

    /** Returns the program that starts several JVMs. */
    static Path program() throws IOException {
        Path include = Jdk.current().home().resolve("include");
        return CSource.build("sidebyside", "-I" + include, "-I" + include.resolve("linux"), "-ldl", "-lpthread");
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
