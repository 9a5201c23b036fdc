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

/** A record of a capture, as returned by {@link CaptureTail}. Ids begin at 0 unless stated otherwise. */
public sealed interface CaptureRecord {

    /** A value of the metadata, such as {@code pid}. The last value of a key applies. */
    record Metadata(String key, String value) implements CaptureRecord {}

    /** An event that samples refer to. */
    record NewEvent(int id, SampledEvent event) implements CaptureRecord {}

    /** A runtime of the process. */
    record NewRuntime(RecordedRuntime runtime) implements CaptureRecord {}

    /** A library that contains native frames. */
    record NewLibrary(RecordedLibrary library) implements CaptureRecord {}

    /**
     * A thread with its first name.
     *
     * @param startTicks as in {@link mayfly.profile.SampledThread#startTicks}
     * @param nanos CLOCK_MONOTONIC nanoseconds at which the name was first seen
     */
    record NewThread(int id, int tid, long startTicks, long nanos, String name) implements CaptureRecord {}

    /** Another name of a thread, first seen at {@code nanos} of CLOCK_MONOTONIC. */
    record ThreadName(int thread, long nanos, String name) implements CaptureRecord {}

    /** A frame that stacks refer to. */
    record NewFrame(int id, Frame frame) implements CaptureRecord {}

    /**
     * A stack: a frame that is called from another stack.
     *
     * @param id 1 or more
     * @param parent the caller's stack, 0 for none
     * @param frame a frame's id
     */
    record NewStack(int id, int parent, int frame) implements CaptureRecord {}

    /** Replaces the frame with this id by one that has a symbol. */
    record Symbol(int id, Frame frame) implements CaptureRecord {}

    /**
     * A sample.
     *
     * @param event an event's id
     * @param nanos CLOCK_MONOTONIC
     * @param thread a thread's id
     * @param stack a stack's id, 0 for no frames
     * @param outcome the outcome of its walk
     * @param value the event's first measure, in its unit
     * @param further the other measures: a {@link Long} each, and a {@link String} for a state
     */
    record Sample(
            int event, long nanos, int thread, int stack, WalkOutcome outcome, long value, Map<Measure, Object> further)
            implements CaptureRecord {
        public Sample {
            further = Map.copyOf(further);
        }
    }

    /**
     * The recording ended regularly. No record follows.
     *
     * @param ledgers those of the events from 0 on, up to the first event that has none
     * @param warnings problems of the file, in sentences
     */
    record End(List<Ledger> ledgers, List<String> warnings) implements CaptureRecord {
        public End {
            ledgers = List.copyOf(ledgers);
            warnings = List.copyOf(warnings);
        }
    }
}
