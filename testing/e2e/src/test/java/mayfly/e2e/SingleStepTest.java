package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import mayfly.e2e.SteppedWalks.Seen;
import mayfly.e2e.SteppedWalks.Walk;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The test steps a thread one instruction at a time and walks it at each: prologues, bodies and epilogues of compiled
 * methods, wrappers of native methods, stubs, and the native code below. The oracle is the processor: each call
 * instruction pushes a return address, which identifies the caller until the thread returns to that address.
 */
class SingleStepTest {
    /** The function of the C library that returns from a signal handler. */
    private static final String SIGNAL_RETURN = "__restore_rt";
    /** The bytes of the longest call, which has the prefixes that the linker requires for __tls_get_addr. */
    private static final int MAX_CALL = 8;
    /** For each method, the least number of instructions at which it must be observed, on any JDK. */
    private static final Map<String, Integer> LEAST = Map.of(
            "outer",
            8,
            "middle",
            10,
            "leaf",
            5,
            "many",
            20,
            "locked",
            15,
            "copied",
            10,
            "free",
            8,
            "deeper",
            10,
            "freeMemory",
            25);

    private static final int MAX_STEPS = 200_000;
    private static final int SIGSEGV = 11;
    private static final int MAX_HANDLER_STEPS = 20_000;

    record Case(Jdk jdk, String compiler, String option) {
        @Override
        public String toString() {
            return compiler + " on " + jdk;
        }
    }

    static List<Case> cases() {
        return Scale.jdks().stream()
                .flatMap(jdk -> Stream.of(
                        new Case(jdk, "C1", "-XX:TieredStopAtLevel=1"), new Case(jdk, "C2", "-XX:-TieredCompilation")))
                .toList();
    }

    /** A call that has not returned yet. */
    private static final class Call {
        private final long slot;
        private final long returnAddress;
        /** The caller and its callers at the callee's first instruction. */
        private List<String> callers = List.of();

        Call(long slot, long returnAddress) {
            this.slot = slot;
            this.returnAddress = returnAddress;
        }
    }

    @Requirement("S-20")
    @ParameterizedTest
    @MethodSource("cases")
    void theCallerIsTheSameAtEveryInstruction(Case how) throws Exception {
        int least = Scale.count(6_000, 100_000);
        int steps = 0;
        Map<String, Set<Long>> seen = new HashMap<>();
        Map<String, Integer> wrong = new TreeMap<>();
        int checked = 0;
        try (Jvm jvm = Jvm.run("SmallMethods")
                .on(how.jdk())
                .with(
                        how.option(),
                        "-Xbatch",
                        "-XX:+UseSerialGC",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:GuaranteedSafepointInterval=0",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=dontinline,mayfly/targets/SmallMethods*.*")
                .start()) {
            try (SteppedWalks thread = SteppedWalks.of(jvm.pid(), "small")) {
                Deque<Call> calls = new ArrayDeque<>();
                Walk walk = thread.walk();
                // The thread may be in the VM, which takes thousands of instructions to resolve a call.
                for (; steps < least || steps < MAX_STEPS && !isCovered(counts(seen), how); steps++) {
                    boolean returns = isReturn(thread.word(walk.pc()));
                    int signal = thread.step();
                    Walk next = thread.walk();
                    follow(calls, walk, next, thread.word(next.sp()), signal != 0, returns);
                    if (isInSignalHandler(next)) {
                        calls.clear();
                    }
                    String problem = problem(next, calls.peek());
                    if (!problem.isEmpty()) {
                        wrong.merge(problem, 1, Integer::sum);
                    }
                    checked += calls.isEmpty() ? 0 : 1;
                    note(next, seen);
                    walk = next;
                }
            }
            jvm.ask("well?");
        }
        Map<String, Integer> counts = counts(seen);
        System.out.printf(
                "%s: %d instructions, caller known at %d, wrong at %d; distinct instructions by method: %s%n",
                how, steps, checked, wrong.values().stream().mapToInt(n -> n).sum(), counts);
        assertThat(wrong).as(how.toString()).isEmpty();
        assertThat(checked)
                .as("of %d instructions, those with a known caller", steps)
                .isGreaterThan(steps * 3 / 4);
        assertThat(isCovered(counts, how)).as("the methods in " + counts).isTrue();
    }

    /** The JVM's handler sets the instruction at which the thread continues, so that its caller is another one. */
    private static boolean isInSignalHandler(Walk walk) {
        return walk.frames().stream().anyMatch(seen -> seen.frame().label().equals("JVM_handle_linux_signal"));
    }

    private static Map<String, Integer> counts(Map<String, Set<Long>> seen) {
        Map<String, Integer> counts = new TreeMap<>();
        seen.forEach((name, addresses) -> counts.put(name, addresses.size()));
        return counts;
    }

    private static boolean isCovered(Map<String, Integer> counts, Case how) {
        return LEAST.entrySet().stream()
                .allMatch(method -> counts.getOrDefault(
                                method.getKey() + " "
                                        + (method.getKey().equals("freeMemory")
                                                ? Frame.Managed.NATIVE
                                                : how.compiler()),
                                0)
                        >= method.getValue());
    }

    /**
     * A poll inside a method is a read of a protected page. The signal handler continues the thread in a blob to which
     * no call leads, and whose first instructions have no return address.
     */
    @ParameterizedTest
    @MethodSource("cases")
    void handlerOfASafepointPollIsCalledByThePolledMethodAtEveryInstruction(Case how) throws Exception {
        Map<String, Integer> wrong = new TreeMap<>();
        Set<Long> seen = new HashSet<>();
        try (Jvm jvm = Jvm.run("PollingLoop")
                .on(how.jdk())
                .with(how.option(), "-Xbatch", "-XX:+UseSerialGC")
                .start()) {
            try (SteppedWalks thread = SteppedWalks.of(jvm.pid(), "polling")) {
                for (int polls = 0; polls < Scale.count(3, 20); polls++) {
                    jvm.send("gc");
                    assertThat(thread.runUntilSignal())
                            .as("the signal of a poll")
                            .isEqualTo(SIGSEGV);
                    boolean wasHandled = false;
                    for (int i = 0; i < MAX_HANDLER_STEPS && !wasHandled; i++) {
                        thread.step();
                        Walk walk = thread.walk();
                        wasHandled = seen.size() > 1 && isBelowPollHandler(walk);
                        if (isPollHandler(walk)) {
                            seen.add(walk.pc());
                            String problem = pollProblem(walk);
                            if (!problem.isEmpty()) {
                                wrong.merge(problem, 1, Integer::sum);
                            }
                        }
                    }
                    assertThat(wasHandled)
                            .as("the blob called the VM in %d steps", MAX_HANDLER_STEPS)
                            .isTrue();
                }
            }
            jvm.ask("well?");
        }
        System.out.printf("%s: %d different instructions of the handlers of polls%n", how, seen.size());
        assertThat(wrong).as(how.toString()).isEmpty();
        assertThat(seen).as("instructions of the handlers").hasSizeGreaterThan(20);
    }

    /** Returns true if the blob has called the VM; the code of the signal handler is above a signal frame. */
    private static boolean isBelowPollHandler(Walk walk) {
        List<String> labels =
                walk.frames().stream().map(seen -> seen.frame().label()).toList();
        return labels.indexOf("SafepointBlob") > 0 && !labels.contains(SIGNAL_RETURN);
    }

    private static boolean isPollHandler(Walk walk) {
        return !walk.frames().isEmpty()
                && walk.frames().getFirst().frame().label().equals("SafepointBlob");
    }

    private static String pollProblem(Walk walk) {
        return walk.outcome() == WalkOutcome.COMPLETE
                        && walk.frames().size() > 1
                        && walk.frames().get(1).frame().label().equals("mayfly.targets.PollingLoop.loop")
                ? ""
                : walk.outcome().id() + place(walk);
    }

    /** Updates the calls that have not returned by the effect of an instruction. */
    private static void follow(Deque<Call> calls, Walk before, Walk after, long top, boolean signal, boolean returns) {
        if (signal) {
            calls.clear();
            return;
        }
        Call call = calls.peek();
        if (call != null && after.sp() > call.slot) {
            if (returns && after.pc() == call.returnAddress && after.sp() == call.slot + 8) {
                calls.pop();
            } else {
                calls.clear(); // left in another way than by a return: the caller is not known
            }
        } else if (after.sp() == before.sp() - 8
                && top > before.pc()
                && top <= before.pc() + MAX_CALL
                && after.pc() != top) {
            calls.push(new Call(after.sp(), top));
        }
    }

    /** Returns whether the code is ret, with a prefix or without, or ret imm16. */
    private static boolean isReturn(long code) {
        int first = (int) code & 0xff;
        int second = (int) (code >> 8) & 0xff;
        return first == 0xc3 || first == 0xc2 || (first == 0xf2 || first == 0xf3) && second == 0xc3;
    }

    /** Returns the error of a walk, if any. */
    private static String problem(Walk walk, Call call) {
        if (walk.outcome() != WalkOutcome.COMPLETE) {
            return walk.outcome().id() + place(walk);
        }
        if (call == null) {
            return "";
        }
        List<String> callers = new ArrayList<>();
        int physical = 0;
        for (int i = 0; i < walk.frames().size(); i++) {
            Seen frame = walk.frames().get(i);
            boolean caller = frame.pc() == call.returnAddress && frame.sp() == call.slot + 8;
            if (caller || !callers.isEmpty()) {
                callers.add(frame.frame().label());
                if (frame.frame().label().equals(SIGNAL_RETURN)) {
                    break; // the handler may continue the thread elsewhere, such as in the handler of a safepoint poll
                }
            } else if (i == 0 || frame.sp() != walk.frames().get(i - 1).sp()) {
                physical++;
            }
        }
        if (callers.isEmpty()) {
            return "not the caller" + place(walk);
        }
        if (physical > 1) {
            return "frames between" + place(walk);
        }
        if (call.callers.isEmpty()) {
            call.callers = callers;
        }
        return callers.equals(call.callers) ? "" : "other callers: " + callers + ", not " + call.callers + place(walk);
    }

    private static String place(Walk walk) {
        return " at " + Long.toHexString(walk.pc()) + " in "
                + walk.frames().stream()
                        .limit(4)
                        .map(frame -> frame.frame().label())
                        .toList();
    }

    private static void note(Walk walk, Map<String, Set<Long>> seen) {
        if (!walk.frames().isEmpty() && walk.frames().getFirst().frame() instanceof Frame.Managed managed) {
            seen.computeIfAbsent(managed.method() + " " + managed.mode(), name -> new HashSet<>())
                    .add(walk.pc());
        }
    }
}
