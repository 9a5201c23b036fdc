package mayfly.profile.capture;

import java.util.List;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.RecordedLibrary;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.SampledEvent;
import mayfly.profile.WalkOutcome;

/** A record of a capture, as {@link CaptureTail} finds it. Ids begin at 0 unless it says otherwise. */
public sealed interface CaptureRecord {

    /** A value of the metadata, such as {@code pid}; the latest one of a key holds. */
    record Metadata(String key, String value) implements CaptureRecord {}

    /** An event that samples can be of. */
    record NewEvent(int id, SampledEvent event) implements CaptureRecord {}

    /** A runtime of the process. */
    record NewRuntime(RecordedRuntime runtime) implements CaptureRecord {}

    /** A library that native frames are in. */
    record NewLibrary(RecordedLibrary library) implements CaptureRecord {}

    /**
     * A thread with its first name.
     *
     * @param startTicks as in {@link mayfly.profile.SampledThread#startTicks}
     * @param nanos CLOCK_MONOTONIC since which it is known to have had this name
     */
    record NewThread(int id, int tid, long startTicks, long nanos, String name) implements CaptureRecord {}

    /** Another name of a thread, from {@code nanos} of CLOCK_MONOTONIC on. */
    record ThreadName(int thread, long nanos, String name) implements CaptureRecord {}

    /** A frame that stacks can have. */
    record NewFrame(int id, Frame frame) implements CaptureRecord {}

    /**
     * A stack: a frame that is called from another stack.
     *
     * @param id 1 or more
     * @param parent the caller's stack, 0 for none
     * @param frame a frame's id
     */
    record NewStack(int id, int parent, int frame) implements CaptureRecord {}

    /** The frame of that id is now this one: its symbol was found. */
    record Symbol(int id, Frame frame) implements CaptureRecord {}

    /**
     * A sample.
     *
     * @param event an event's id
     * @param nanos CLOCK_MONOTONIC
     * @param thread a thread's id
     * @param stack a stack's id, 0 for no frames
     * @param outcome how its walk ended
     * @param value the event's first measure, in its unit
     * @param further the other measures: a {@link Long} each, and a {@link String} for a state
     */
    record Sample(int event, long nanos, int thread, int stack, WalkOutcome outcome, long value,
                  Map<Measure, Object> further) implements CaptureRecord {
        public Sample {
            further = Map.copyOf(further);
        }
    }

    /** The recording ended in order. Nothing follows. */
    record End(Ledger ledger, List<String> warnings) implements CaptureRecord {
        public End {
            warnings = List.copyOf(warnings);
        }
    }
}
