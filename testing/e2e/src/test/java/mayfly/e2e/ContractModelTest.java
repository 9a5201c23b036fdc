package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.ProfilerClient;
import mayfly.e2e.ContractModel.Step;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random requests to a real host and to a model of the contract, which must agree on each outcome. */
class ContractModelTest {
    private static final int STEPS = Scale.count(150, 10_000);
    private static final int SHOWN = 30;

    @TempDir
    private Path folder;

    private Path jar;
    private Path calls;
    private Jvm jvm;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-17", "D-10", "R-10"})
    void hostAndModelAgreeOnRandomRequests(Jdk jdk) throws Exception {
        jar = ProfilerJars.scripted(folder, ContractModel.LISTED);
        calls = folder.resolve("calls");
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ContractModel model = new ContractModel();
        List<String> history = new ArrayList<>();
        try (Jvm started = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Xmx64m", "-Dmayfly.testing.calls=" + calls)
                .start()) {
            jvm = started;
            for (int i = 0; i < STEPS; i++) {
                Step step = Step.random(random);
                String expected = model.take(step);
                String actual = take(step);
                history.add(step + ": " + actual);
                List<String> last = history.subList(Math.max(0, history.size() - SHOWN), history.size());
                assertThat(actual).as("seed %d, step %d: %s", seed, i, last).isEqualTo(expected);
                if (!model.isAttached()) {
                    HostTrace.awaitNone(jvm);
                    assertThat(Files.exists(calls) ? Files.readAllLines(calls) : List.of())
                            .as("seed %d, step %d: %s", seed, i, last)
                            .isEqualTo(model.callbacks());
                }
            }
        }
    }

    private String take(Step step) throws Exception {
        int pid = Math.toIntExact(jvm.pid());
        try {
            return switch (step.request()) {
                case ATTACH -> {
                    ProfilerClient.attach(Attached.request(jvm, jar, step.argument()));
                    yield Status.OK.name();
                }
                case ECHO -> ask("echo " + step.argument());
                case MASK -> ask("mask " + step.argument()) + " " + sorted(ask("has-mask"));
                case STATUS -> ProfilerClient.status(pid).map(HostStatus::state).orElse("none");
                case PROGRAM -> program(step.argument());
                case DETACH -> {
                    ProfilerClient.detach(pid, "a random step", Attached.LIMIT);
                    yield "gone";
                }
                case DETACH_ITSELF -> ask(step.argument());
            };
        } catch (AttachFailed e) {
            return e.status().name();
        }
    }

    private String ask(String command) throws AttachFailed {
        return new String(ProfilerClient.send(Math.toIntExact(jvm.pid()), command.getBytes(), Attached.LIMIT));
    }

    private static TreeSet<String> sorted(String events) {
        String words = events.substring(1, events.length() - 1);
        return new TreeSet<>(words.isEmpty() ? List.of() : Arrays.asList(words.split(", ")));
    }

    /** Lets the program act, and returns how the profiler counts it. */
    private String program(String action) throws Exception {
        boolean thread = action.equals("thread");
        String callback = thread ? "threadDestroyed" : "classLoaded";
        boolean subscribed;
        long before;
        try {
            subscribed = ask("has-mask").contains(thread ? "THREADS" : "CLASS_LOADS");
            before = count(callback);
        } catch (AttachFailed e) {
            jvm.ask(thread ? "thread t" : "load");
            return "unseen";
        }
        jvm.ask(thread ? "thread t" : "load");
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (subscribed && count(callback) == before) {
            deadline.check("%s is not reported", action);
        }
        return count(callback) == before ? "not reported" : "reported";
    }

    private long count(String callback) throws AttachFailed {
        return Long.parseLong(ask("count " + callback));
    }
}
