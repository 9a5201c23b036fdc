package mayfly.profile.capture.records;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.SampledThread;
import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** Reads the threads of a capture with their names. */
public final class ThreadRecords {
    private record ReadThread(int tid, long startTicks, List<SampledThread.Name> names) {}

    private final AboutRecords about;
    private final List<ReadThread> threads = new ArrayList<>();

    /** @param about the source of the strings and of the time at which the recording started */
    public ThreadRecords(AboutRecords about) {
        this.about = about;
    }

    /**
     * Reads the next thread.
     *
     * @throws BadRecord if the record is malformed, or the metadata before it has no event
     */
    public void thread(RecordCursor record) throws BadRecord {
        int tid = record.index("tid", Integer.MAX_VALUE);
        long startTicks = record.number();
        var names = new ArrayList<SampledThread.Name>(1);
        names.add(name(record));
        threads.add(new ReadThread(tid, startTicks, names));
    }

    /**
     * Reads another name of a thread. Returns the thread's id.
     *
     * @throws BadRecord if the record is malformed, or there is no such thread
     */
    public int rename(RecordCursor record) throws BadRecord {
        int id = record.index("thread", threads.size());
        SampledThread.Name name = name(record);
        List<SampledThread.Name> names = threads.get(id).names;
        if (names.size() < AboutRecords.MAX_SENTENCES) {
            names.add(name);
        }
        return id;
    }

    private SampledThread.Name name(RecordCursor record) throws BadRecord {
        return new SampledThread.Name(about.start().monotonicNanos() + record.signed(), about.word(record));
    }

    public int count() {
        return threads.size();
    }

    /** Returns a thread with the names read so far. */
    public SampledThread at(int id) {
        ReadThread thread = threads.get(id);
        return new SampledThread(thread.tid, thread.startTicks, thread.names);
    }

    public List<SampledThread> all() {
        var list = new ArrayList<SampledThread>(threads.size());
        for (int id = 0; id < threads.size(); id++) {
            list.add(at(id));
        }
        return list;
    }
}
