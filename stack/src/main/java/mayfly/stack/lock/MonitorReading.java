package mayfly.stack.lock;

import java.util.List;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.unwind.WalkResult;

/** Reads the monitors that the frames of one thread have entered, during its walk. */
public interface MonitorReading {
    /** Reads no monitors. */
    MonitorReading NONE = new MonitorReading() {
        @Override
        public void begin() {}

        @Override
        public void copied() {}

        @Override
        public List<FrameMonitor> at(WalkResult walk) {
            return List.of();
        }
    };

    /** Called before the thread is copied, each time. */
    void begin();

    /** Called while the thread does not run, when its stack is copied; not if the time of the stop is over. */
    void copied();

    /** Returns the monitors of the frames at the position of a walk, those of the innermost method first. */
    List<FrameMonitor> at(WalkResult walk);
}
