package mayfly.record.event;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import mayfly.arch.x86.X86_64;
import mayfly.process.Registers;
import mayfly.profile.Ledger;

/** Delivers each sample, a thread and a time, at the next drain. */
final class ScriptedSamples implements EventSource {
    private static final long NOW = Long.MAX_VALUE;

    private final List<long[]> samples = new ArrayList<>();

    /** Adds a sample to the next drain. */
    void add(int tid, long time) {
        samples.add(new long[] {tid, time});
    }

    /** Adds a sample of the time at which it is delivered. */
    void addNow(int tid) {
        add(tid, NOW);
    }

    @Override
    public void enable() {
        // the samples are a script
    }

    @Override
    public boolean await(int timeoutMillis) {
        LockSupport.parkNanos(timeoutMillis * 1_000_000L);
        return true;
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        for (long[] sample : samples) {
            int tid = (int) sample[0];
            long time = sample[1] == NOW ? System.nanoTime() : sample[1];
            sink.begin();
            SampleSink.Walk walk = sink.walk(tid, time, new Registers(X86_64.ARCHITECTURE), _ -> null, 0);
            sink.write(tid, time, 1, walk.outcome());
        }
        samples.clear();
    }

    @Override
    public void disable() {
        // the samples are a script
    }

    @Override
    public long lost() {
        return 7;
    }

    @Override
    public String description() {
        return "a script";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.addLost(lost());
    }

    @Override
    public void close() {
        // nothing is open
    }
}
