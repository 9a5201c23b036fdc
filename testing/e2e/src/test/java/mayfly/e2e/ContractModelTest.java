package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.e2e.ContractModel.State;
import mayfly.e2e.ContractModel.Step;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random requests to a real host and to a model of the contract, which must agree on each outcome. */
class ContractModelTest {
    private static final int STEPS = Scale.count(150, 10_000);
    private static final int STEPS_OF_A_JVM = Scale.count(50, 250);
    private static final int SHOWN = 30;
    private static final Duration SHORT = Patience.of(Duration.ofMillis(1500));

    @TempDir
    private Path folder;

    private Path jar;
    private Path calls;
    private Jvm jvm;
    /** True if a detach waits for a thread of the profiler. */
    private boolean waits;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-17", "D-10", "R-10"})
    void hostAndModelAgreeOnRandomRequests(Jdk jdk) throws Exception {
        jar = ProfilerJars.scripted(folder, ContractModel.LISTED);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < STEPS / STEPS_OF_A_JVM; i++) {
            calls = folder.resolve("calls" + i);
            Jvm.Plan plan = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx64m", "-Dmayfly.testing.calls=" + calls);
            String context = String.format("seed %d, JVM %d", seed, i);
            if (random.nextBoolean()) {
                launchAndRequest(plan, random, context);
            } else {
                request(plan, new ContractModel(), random, context);
            }
        }
    }

    private void launchAndRequest(Jvm.Plan plan, Random random, String context) throws Exception {
        String script = ContractModel.LAUNCHES.get(random.nextInt(ContractModel.LAUNCHES.size()));
        Duration limit = script.equals(ContractModel.HANG) ? SHORT : Attached.LIMIT;
        LaunchFiles files =
                LaunchFiles.temporary(new LaunchRequest(jar, Optional.empty(), limit, Set.of(Acceptance.LASTING_COST)));
        try {
            ContractModel model = new ContractModel();
            model.launch(script);
            Jvm.Plan launched =
                    plan.with("-Dmayfly.testing.script=" + script).environment("JAVA_TOOL_OPTIONS", files.option());
            request(launched, model, random, context + ", launched with \"" + script + '"');
        } finally {
            files.remove();
        }
    }

    /** Makes random requests to one JVM. */
    private void request(Jvm.Plan plan, ContractModel model, Random random, String context) throws Exception {
        List<String> history = new ArrayList<>();
        waits = false;
        try (Jvm started = plan.start()) {
            jvm = started;
            for (int i = 0; i < STEPS_OF_A_JVM; i++) {
                assertAgreement(model, history, context);
                Step step = Step.random(random, model.state());
                String expected = model.take(step);
                String actual = take(step, expected);
                history.add(step + ": " + actual);
                assertThat(actual).as("%s: %s", context, last(history)).isEqualTo(expected);
            }
            assertAgreement(model, history, context);
        }
    }

    /** Nothing of a host is left if there is no profiler, and its callbacks were those of the model. */
    private void assertAgreement(ContractModel model, List<String> history, String context) throws Exception {
        if (model.state() == State.NONE) {
            HostTrace.awaitOnlyLaunch(jvm);
            assertThat(Files.exists(calls) ? Files.readAllLines(calls) : List.of())
                    .as("%s: %s", context, last(history))
                    .isEqualTo(model.callbacks());
        }
    }

    private static List<String> last(List<String> history) {
        return history.subList(Math.max(0, history.size() - SHOWN), history.size());
    }

    private String take(Step step, String expected) throws Exception {
        int pid = Math.toIntExact(jvm.pid());
        try {
            return switch (step.request()) {
                case ATTACH -> attach(step.argument());
                case ECHO -> ask("echo " + step.argument());
                case MASK -> ask("mask " + step.argument()) + " " + sorted(ask("has-mask"));
                case STATUS -> expected.endsWith(ContractModel.OVERDUE) ? overdue() : state();
                case PROGRAM -> program(step.argument());
                case DETACH -> {
                    ProfilerClient.detach(pid, "a random step", waits ? SHORT : Attached.LIMIT);
                    yield "gone";
                }
                case DETACH_ITSELF -> ask(step.argument());
                case LEAK -> leak();
                case RELEASE -> release();
            };
        } catch (AttachFailed e) {
            return e.status().name();
        }
    }

    /** An attach whose initialisation hangs is repeated if the host received it too late on a busy machine. */
    private String attach(String script) throws Exception {
        boolean hangs = script.equals(ContractModel.HANG) && state().equals("none");
        if (hangs) {
            jvm.ask("hold");
        }
        String outcome;
        do {
            try {
                ProfilerClient.attach(Attached.request(jvm.pid(), jar, script, hangs ? SHORT : Attached.LIMIT));
                outcome = Status.OK.name();
            } catch (AttachFailed e) {
                outcome = e.status().name();
            }
        } while (hangs && state().equals("none"));
        return outcome;
    }

    /** A detach that waits is "detaching" at first, and then "pinned". */
    private String state() throws AttachFailed {
        String state = ProfilerClient.status(Math.toIntExact(jvm.pid()))
                .map(HostStatus::state)
                .orElse("none");
        return state.equals("pinned") ? "detaching" : state;
    }

    /** A detach becomes overdue after the time that was announced. */
    private String overdue() throws AttachFailed {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (!ProfilerClient.status(Math.toIntExact(jvm.pid())).orElseThrow().overdue()) {
            deadline.check("the detach is not overdue");
        }
        return state() + ContractModel.OVERDUE;
    }

    private String leak() throws AttachFailed {
        jvm.ask("hold");
        String answer = ask("leak");
        waits = true;
        return answer;
    }

    private String release() throws Exception {
        String before = state();
        String answer = jvm.ask("release");
        waits = false;
        if (before.equals("detaching")) {
            HostTrace.collectUntilOnlyLaunch(jvm);
            return "gone";
        }
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (state().equals("initializing")) {
            deadline.check("the initialisation does not return");
        }
        return answer;
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
