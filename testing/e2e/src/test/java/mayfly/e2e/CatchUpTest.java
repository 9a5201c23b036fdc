package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.CompiledMethodsProfiler;
import mayfly.profilers.testing.EnumeratingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads, classes and modules appear while a profiler attaches. All of them are reported to the profiler, by events or
 * by enumeration.
 */
class CatchUpTest {
    private static final int ROUNDS = Scale.count(5, 100);
    /**
     * At least this many of each kind must appear before the attach and after it, so that both events and enumerations
     * are needed.
     */
    private static final int SOME = 20;

    /** A line of Compiler.codelist. */
    private static final Pattern COMPILED = Pattern.compile("[\\d ]+ (org\\.eclipse\\.[^ (]+)(\\([^ ]+) \\[0x.*");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"C-02", "C-03"})
    void catchUpMissesNothingThatHappensDuringTheAttach(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("catch-up.jar"),
                ProfilerJars.manifest(EnumeratingProfiler.class.getName(), "1", "THREADS, CLASS_LOADS, MODULE_LOADS"));
        try (Jvm jvm = Jvm.run("AttachRaceTarget").on(jdk).with("-Xmx256m").start()) {
            int pid = Math.toIntExact(jvm.pid());
            for (int i = 0; i < ROUNDS; i++) {
                jvm.ask("churn");
                awaitSomeMore(jvm);
                ProfilerClient.attach(new AttachRequest(
                        pid, jar, Optional.empty(), Optional.empty(), Attached.LIMIT, Acceptance.LASTING_COST));
                awaitSomeMore(jvm);
                String[] made = jvm.ask("rest").split(",");
                long completed = Long.parseLong(ask(pid, "completed"));
                Map<String, String> known = known(ask(pid, "seen"));
                Set<String> ways = new HashSet<>();
                for (String one : truth(made, completed)) {
                    assertThat(known).as("round %d", i).containsKey(one);
                    ways.add(known.get(one) + " " + one.substring(0, one.indexOf(' ')));
                }
                assertThat(ways).as("round %d", i).contains("told class", "found class", "told thread", "found thread");
                assertThat(known.keySet())
                        .as("round %d: classes of modules that are not known", i)
                        .noneMatch(name -> name.startsWith("of mayfly.targets.AttachRaceTarget$Guest"));
                detach(pid);
                jvm.ask("clear");
            }
        }
    }

    /** The attach begins while the JVM compiles the methods of ecj, and the JVM's own list is the truth. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-02")
    void catchUpMissesNoMethodThatIsCompiledDuringTheAttach(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("compiled.jar"),
                ProfilerJars.manifest(CompiledMethodsProfiler.class.getName(), "1", "COMPILED_METHODS"));
        try (Jvm jvm =
                Jvm.run("EcjLoad").on(jdk).args(Project.sourceTree().toString()).start()) {
            int pid = Math.toIntExact(jvm.pid());
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (compiled(jvm).size() < SOME) {
                deadline.check("the JVM compiles nothing");
            }
            ProfilerClient.attach(new AttachRequest(
                    pid, jar, Optional.empty(), Optional.empty(), Attached.LIMIT, Acceptance.LASTING_COST));
            Set<String> found = Set.copyOf(ask(pid, "found").lines().toList());
            Set<String> ways = new HashSet<>();
            do {
                Set<String> truth = compiled(jvm);
                Set<String> missing = new HashSet<>(truth);
                missing.removeAll(found);
                if (missing.size() < truth.size()) {
                    ways.add("found");
                }
                if (!missing.isEmpty()) {
                    ways.add("told only");
                }
                while (!missing.isEmpty()) { // an event may wait in the queue
                    missing.removeAll(ask(pid, "told").lines().toList());
                    deadline.check("not known: %s", missing);
                }
                deadline.check("only %s", ways);
            } while (ways.size() < 2);
            detach(pid);
        }
    }

    /** Returns the compiled methods of ecj according to the JVM. */
    private static Set<String> compiled(Jvm jvm) {
        Command list = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Compiler.codelist");
        return list.stdout()
                .lines()
                .map(COMPILED::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1) + line.group(2))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** Forces a collection: the now idle program may have left a heap that is not collected without permission. */
    private void detach(int pid) throws Exception {
        try {
            ProfilerClient.detach(new DetachRequest(
                    pid, DetachMode.ASK, DetachRequest.Collections.ALWAYS, "the round is over", Attached.LIMIT));
        } catch (AttachFailed e) {
            throw new AssertionError(
                    ProfilerClient.status(pid) + "\n"
                            + CommandLine.run("stack", Integer.toString(pid)).stdout(),
                    e);
        }
    }

    private static void awaitSomeMore(Jvm jvm) {
        long[] before = counts(jvm);
        Deadline deadline = Deadline.in(Attached.LIMIT);
        for (long[] now = before; now[0] < before[0] + SOME || now[1] < before[1] + SOME; now = counts(jvm)) {
            deadline.check("no more classes or threads appear");
        }
    }

    private static long[] counts(Jvm jvm) {
        String[] words = jvm.ask("made").split(" ");
        return new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])};
    }

    private static String ask(int pid, String command) throws Exception {
        byte[] answer = ProfilerClient.send(pid, command.getBytes(StandardCharsets.UTF_8), Attached.LIMIT);
        return new String(answer, StandardCharsets.UTF_8);
    }

    /** Returns each thread, class and module with the way in which it became known. */
    private static Map<String, String> known(String seen) {
        Map<String, String> known = new HashMap<>();
        seen.lines().forEach(line -> {
            String[] words = line.split(" ", 2);
            known.put(words[1], words[0]);
        });
        return known;
    }

    /** Returns, from the program's own list, the items that existed when the attach was complete or appeared later. */
    private static Set<String> truth(String[] made, long completed) {
        Set<String> truth = new HashSet<>();
        for (String one : made) {
            int last = one.lastIndexOf(' ');
            if (!one.startsWith("passed ")) {
                truth.add(one);
            } else if (Long.parseLong(one.substring(last + 1)) > completed) {
                truth.add("thread " + one.substring("passed ".length(), last));
            }
        }
        return truth;
    }
}
