package mayfly.linux.perf;

import java.io.IOException;
import java.util.List;
import mayfly.linux.sys.ErrnoException;

/**
 * The open events and the rings that they write to; common to both collectors of perf samples.
 *
 * @param startByThemselves true if the events start at the target's execve(2)
 */
record PerfEvents(List<PerfEvent> events, PerfRings rings, boolean seesKernel, boolean startByThemselves,
                  String description) implements PerfCollector {

    @Override
    public void enable() throws IOException {
        if (startByThemselves) {
            return;
        }
        for (PerfEvent event : events) {
            event.enable();
        }
    }

    @Override
    public Wait await(int timeoutMillis) {
        return rings.await(timeoutMillis);
    }

    @Override
    public void begin() {
        rings.begin();
    }

    @Override
    public int drain(PerfRecords records) {
        return rings.drain(records);
    }

    @Override
    public long lastExec() {
        return rings.lastExec();
    }

    @Override
    public boolean isNearlyFull() {
        return rings.isNearlyFull();
    }

    @Override
    public void stackEndsAt(int tid, long address) {
        rings.stackEndsAt(tid, address);
    }

    @Override
    public void disable() {
        for (PerfEvent event : events) {
            try {
                event.disable();
            } catch (ErrnoException e) {
                // An event that cannot be disabled ends when it is closed.
                continue;
            }
        }
    }

    @Override
    public long lost() {
        return rings.lost();
    }

    @Override
    public long throttled() {
        return rings.throttled();
    }

    @Override
    public long malformed() {
        return rings.malformed();
    }

    @Override
    public long dropped() {
        return rings.dropped();
    }

    @Override
    public void close() {
        rings.close();
        events.forEach(PerfEvent::close);
    }
}
