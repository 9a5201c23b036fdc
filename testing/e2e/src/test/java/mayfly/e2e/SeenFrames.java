package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import mayfly.discovery.Refused;
import mayfly.kit.Deadline;
import mayfly.kit.Patience;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.stack.FrameCallback.Action;
import mayfly.stack.FrameReport;
import mayfly.stack.ThreadWalk;
import mayfly.stack.ThreadWalks;
import mayfly.stack.WalkRequest;
import mayfly.stack.WalkStatus;

/** The reports of a walk. */
final class SeenFrames {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    final List<Frame> frames = new ArrayList<>();
    final List<Integer> holes = new ArrayList<>();
    final List<Long> stackPointers = new ArrayList<>();

    Action take(FrameReport report) {
        Frame frame = report.frame();
        if (frame == null) {
            holes.add(report.nativeFrames());
        } else {
            frames.add(frame);
        }
        return Action.CONTINUE;
    }

    void clear() {
        frames.clear();
        holes.clear();
        stackPointers.clear();
    }

    Action takeWithRegisters(FrameReport report) {
        stackPointers.add(report.registers().sp());
        return take(report);
    }

    List<String> methods() {
        return frames.stream()
                .filter(Frame.Managed.class::isInstance)
                .map(Frame::label)
                .toList();
    }

    /**
     * Returns the first frames, the leaf by its label alone, for the comparison of two walks of a blocked thread: after
     * a stop the thread repeats its system call, and until then its instruction pointer is at the call itself.
     */
    List<Object> first(int count) {
        List<Object> first = new ArrayList<>(frames.subList(0, count));
        first.set(0, frames.getFirst().label());
        return first;
    }

    static ThreadWalk walk(ThreadWalks walks, WalkRequest request, SeenFrames seen) throws Refused {
        return walk(walks, request, seen, _ -> {});
    }

    /**
     * Walks a thread, again if necessary: on a busy machine a stop can reach its limit before all of the stack has been
     * read.
     *
     * @param first runs at each report before the report is taken
     */
    static ThreadWalk walk(ThreadWalks walks, WalkRequest request, SeenFrames seen, Consumer<FrameReport> first)
            throws Refused {
        Deadline deadline = Deadline.in(LIMIT);
        while (true) {
            seen.clear();
            ThreadWalk result = walks.walk(
                    request,
                    (report, data) -> {
                        first.accept(report);
                        return data.take(report);
                    },
                    seen);
            if (result.status() != WalkStatus.STACK_SNAPSHOT_UNSAFE) {
                return result;
            }
            deadline.check(result.toString());
        }
    }

    /** Walks a thread whose native leaf cannot be skipped; returns the leaf's registers. */
    static Registers leafOf(ThreadWalks walks, int tid, SeenFrames seen) throws Refused {
        Registers[] leaf = new Registers[1];
        ThreadWalk result = walk(
                walks, WalkRequest.of(tid), seen, report -> leaf[0] = leaf[0] == null ? report.registers() : leaf[0]);
        assertThat(result.status()).as(result.toString()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
        assertThat(result.reason()).isNotEmpty();
        return Objects.requireNonNull(leaf[0]);
    }
}
