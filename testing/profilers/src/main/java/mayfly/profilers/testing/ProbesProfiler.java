package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.code.MethodId;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbedMethod;
import mayfly.api.probe.RefusedProbes;
import mayfly.api.probe.RemovedProbes;

/**
 * Counts the calls of probed methods for each thread, keeps the stack of each thread, and compares it with a walk. The
 * commands are in {@link #command}.
 */
public final class ProbesProfiler implements Profiler {
    private static final Set<Event> PROBES = EnumSet.of(Event.METHOD_PROBES, Event.STACK_SNAPSHOTS);
    private static final String WORK = "mayfly.targets.ProbedCalls$Work";

    private final Map<MethodId, String> names = new ConcurrentHashMap<>();
    private final Map<String, Total> totals = new ConcurrentHashMap<>();
    private final Map<Thread, List<MethodId>> stacks = new ConcurrentHashMap<>();
    private final LongAdder walks = new LongAdder();
    private final LongAdder differences = new LongAdder();
    private volatile String difference = "";
    private volatile String mode = "count";
    private volatile String inCallback = "";
    private volatile boolean quiet;
    private ProfilerInfo info;

    private static final class Total {
        private final LongAdder entered = new LongAdder();
        private final LongAdder left = new LongAdder();
        private final LongAdder thrown = new LongAdder();

        @Override
        public String toString() {
            return entered + " " + left + " " + thrown;
        }
    }

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        if (!new String(data.orElse(new byte[0]), StandardCharsets.UTF_8).equals("later")) {
            info.setEventMask(PROBES);
        }
    }

    private Total total(MethodId method) {
        String thread = mode.equals("sum") ? "all" : Thread.currentThread().getName();
        return totals.computeIfAbsent(thread + " " + name(method), each -> new Total());
    }

    private String name(MethodId method) {
        return names.computeIfAbsent(method, each -> info.describe(each).name());
    }

    @Override
    public void methodEntered(MethodId method) {
        if (quiet) {
            return;
        }
        switch (mode) {
            case "throw" -> throw new IllegalStateException("thrown by the profiler");
            case "stacks" -> push(method);
            case "once" -> once();
            default -> total(method).entered.increment();
        }
    }

    @Override
    public void methodLeft(MethodId method, boolean thrown) {
        if (quiet) {
            return;
        }
        switch (mode) {
            case "throw" -> throw new IllegalStateException("thrown by the profiler");
            case "once" -> {}
            case "stacks" -> pop(method);
            default -> {
                Total total = total(method);
                (thrown ? total.thrown : total.left).increment();
            }
        }
    }

    /** Executes the prepared command in this callback. */
    private synchronized void once() {
        if (!inCallback.isEmpty()) {
            String command = inCallback;
            inCallback = "";
            StringBuilder answers = new StringBuilder();
            for (String each : command.split(";")) {
                answers.append(answer(each.strip())).append(';');
            }
            difference = answers.toString();
        }
    }

    private void push(MethodId method) {
        List<MethodId> stack = stacks.computeIfAbsent(Thread.currentThread(), each -> new ArrayList<>());
        stack.add(method);
        List<MethodId> walked = new ArrayList<>();
        info.doStackSnapshot(ProbesProfiler::collect, walked);
        walks.increment();
        java.util.Collections.reverse(walked);
        if (!walked.equals(stack)) {
            differences.increment();
            difference = walked + " is not " + stack;
        }
    }

    private static boolean collect(StackFrame frame, List<MethodId> to) {
        if (frame.className().equals(WORK)) {
            to.add(frame.methodId().orElseThrow());
        }
        return true;
    }

    private void pop(MethodId method) {
        List<MethodId> stack = stacks.get(Thread.currentThread());
        if (stack == null || stack.isEmpty() || !stack.remove(stack.size() - 1).equals(method)) {
            differences.increment();
            difference = "left " + method + " but not entered";
        }
    }

    private static String added(AddedProbes added) {
        StringBuilder lines = new StringBuilder("added " + added.methods().size());
        for (RefusedProbes each : added.refused()) {
            lines.append('\n')
                    .append(each.reason())
                    .append(' ')
                    .append(each.count())
                    .append(' ')
                    .append(each.examples().get(0));
        }
        return lines.toString();
    }

    private static String removed(RemovedProbes removed) {
        return "removed " + removed.methods() + " frames "
                + removed.framesOfReplacedCode().orElse(-1) + " changed "
                + removed.changedClasses().size();
    }

    private String probes() {
        StringBuilder lines = new StringBuilder();
        for (ProbedMethod each : info.probes()) {
            lines.append(each.className() + "." + each.name() + each.descriptor() + " " + each.reports() + "\n");
        }
        return lines.toString();
    }

    private String totals() {
        StringBuilder lines = new StringBuilder();
        totals.forEach(
                (name, total) -> lines.append(name).append(' ').append(total).append('\n'));
        return lines.toString();
    }

    private String answer(String command) {
        try {
            return execute(command.split(" ", 3));
        } catch (ProfilerException e) {
            return e.status() + " " + e.getMessage();
        }
    }

    private String execute(String[] words) {
        switch (words[0]) {
            case "add":
                return added(info.addProbes(words[1]));
            case "remove":
                return removed(info.removeProbes(words[1]));
            case "report":
                return Integer.toString(info.setProbesReporting(words[2], words[1].equals("on")));
            case "probes":
                return probes();
            case "frames":
                return Integer.toString(info.framesOfReplacedCode());
            case "mode":
                mode = words[1];
                quiet = mode.equals("nothing");
                return "OK";
            case "totals":
                return totals();
            case "reset":
                totals.clear();
                return "OK";
            case "walks":
                return walks + " " + differences + " " + difference;
            case "in-callback":
                inCallback = words[1].replace('_', ' ') + (words.length > 2 ? " " + words[2] : "");
                mode = "once";
                quiet = false;
                return "OK";
            case "on":
                info.setEventMask(PROBES);
                return "OK";
            case "off":
                info.setEventMask(EnumSet.of(Event.STACK_SNAPSHOTS));
                return "OK";
            case "detach":
                info.requestDetach(Duration.ZERO);
                return "OK";
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    @Override
    public byte[] command(byte[] command) {
        return answer(new String(command, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }
}
