package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;

/**
 * Counts exceptions by class, from the start of the JVM, and with the system property {@code mayfly.testing.walk} keeps
 * the stack of the last throw of each class. With {@code mayfly.testing.silent}, the reports are off at first. With
 * {@code mayfly.testing.fail}, its initialisation or its completion callback fails after the subscription.
 */
public final class ExceptionsProfiler implements Profiler {
    private static final int OWN_EXCEPTION_EVERY = 1_000;

    private final Map<ClassId, LongAdder> thrown = new ConcurrentHashMap<>();
    private final Map<ClassId, LongAdder> caught = new ConcurrentHashMap<>();
    private final LongAdder ownExceptions = new LongAdder();
    private final Map<ClassId, String> stacks = new ConcurrentHashMap<>();
    private ProfilerInfo info;
    private boolean walks;

    @Override
    public void initialize(ProfilerInfo runtime) {
        info = runtime;
        walks = Boolean.getBoolean("mayfly.testing.walk");
        info.setEventMask(walks ? EnumSet.of(Event.EXCEPTIONS, Event.STACK_SNAPSHOTS) : EnumSet.of(Event.EXCEPTIONS));
        if (Boolean.getBoolean("mayfly.testing.silent")) {
            info.setExceptionsReported(false);
        }
        failIf("initialize");
    }

    @Override
    public void profilerAttachComplete() {
        failIf("complete");
    }

    private static void failIf(String where) {
        if (where.equals(System.getProperty("mayfly.testing.fail"))) {
            throw new IllegalStateException(where + " failed as requested");
        }
    }

    @Override
    public void exceptionThrown(Stamp at, ThreadId thread, ClassId type) {
        LongAdder count = thrown.computeIfAbsent(type, each -> new LongAdder());
        count.increment();
        if (walks) {
            StringBuilder frames = new StringBuilder();
            info.doStackSnapshot(ExceptionsProfiler::add, frames);
            stacks.put(type, frames.toString());
        }
        try {
            throwSometimes(count.sum());
        } catch (UnsupportedOperationException e) {
            ownExceptions.increment();
        }
    }

    private static boolean add(StackFrame frame, StringBuilder frames) {
        frames.append(frames.length() == 0 ? "" : " ")
                .append(frame.className())
                .append('.')
                .append(frame.method())
                .append(':')
                .append(frame.line());
        return true;
    }

    private static void throwSometimes(long count) {
        if (count % OWN_EXCEPTION_EVERY == 1) {
            throw new UnsupportedOperationException("an exception of a callback is not reported");
        }
    }

    @Override
    public void exceptionCaught(Stamp at, ThreadId thread, ClassId type) {
        caught.computeIfAbsent(type, each -> new LongAdder()).increment();
    }

    private long count(Map<ClassId, LongAdder> counts, String name) {
        return counts.entrySet().stream()
                .filter(each -> info.describe(each.getKey()).name().equals(name))
                .mapToLong(each -> each.getValue().sum())
                .sum();
    }

    private String stack(String name) {
        return stacks.entrySet().stream()
                .filter(each -> info.describe(each.getKey()).name().equals(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ");
        String answer = switch (words[0]) {
            case "count" -> count(thrown, words[1]) + " " + count(caught, words[1]);
            case "stack" -> stack(words[1]);
            case "report" -> outcome(() -> info.setExceptionsReported(Boolean.parseBoolean(words[1])));
            case "own" -> Long.toString(ownExceptions.sum());
            case "has-mask" -> info.eventMask().toString();
            case "mask" -> outcome(() -> info.setEventMask(EnumSet.noneOf(Event.class)));
            case "same-mask" -> outcome(() -> info.setEventMask(info.eventMask()));
            case "detach" -> outcome(() -> info.requestDetach(Duration.ZERO));
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
