package mayfly.cli.output;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import mayfly.profile.Frame;
import mayfly.report.json.Json;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.VirtualThreadReport;
import org.jspecify.annotations.Nullable;

/** A thread dump as JSON, see docs/formats/stack-json.md. */
public final class StackJson {

    private StackJson() {}

    /**
     * Writes a thread dump as one line. Does not close the stream.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(ThreadDump dump, OutputStream out) throws IOException {
        var json = new Json();
        head(dump, json);
        json.name("threads").beginArray();
        for (DumpedThread thread : dump.threads()) {
            thread(thread, dump.locks().awaited().get(thread.tid()), json);
            json.drainTo(out);
        }
        json.endArray();
        VirtualThreadReport virtual = dump.virtual();
        if (virtual != null) {
            virtual(virtual, json, out);
        }
        deadlocks(dump.locks(), json);
        json.endObject();
        json.drainTo(out);
        out.write('\n');
    }

    private static void head(ThreadDump dump, Json json) {
        json.beginObject()
                .name("schema")
                .value("mayfly-stack/1")
                .name("pid")
                .value(dump.pid())
                .name("mainClass")
                .value(dump.mainClass())
                .name("runtimes")
                .beginArray();
        dump.runtimes().forEach(json::value);
        json.endArray()
                .name("time")
                .value(dump.time().toString())
                .name("together")
                .value(dump.together())
                .name("unmounted")
                .value(dump.unmounted())
                .name("stops")
                .beginObject()
                .name("count")
                .value(dump.stops().count())
                .name("medianNanos")
                .value(dump.stops().medianNanos())
                .name("longestNanos")
                .value(dump.stops().longestNanos())
                .name("unstopped")
                .value(dump.stops().unstopped())
                .name("limitNanos")
                .value(dump.stops().limitNanos())
                .name("overLimit")
                .value(dump.stops().overLimit())
                .endObject();
    }

    private static void virtual(VirtualThreadReport virtual, Json json, OutputStream out) throws IOException {
        json.name("virtual")
                .beginObject()
                .name("threads")
                .value(virtual.threads())
                .name("mounted")
                .value(virtual.mounted())
                .name("allRecorded")
                .value(virtual.areAllRecorded())
                .name("unread")
                .beginArray();
        virtual.unread()
                .forEach((reason, count) -> json.beginObject()
                        .name("reason")
                        .value(reason)
                        .name("threads")
                        .value(count)
                        .endObject());
        json.endArray().name("unreadable").beginArray();
        virtual.problems()
                .forEach((runtime, reason) -> json.beginObject()
                        .name("runtime")
                        .value(runtime.toString())
                        .name("reason")
                        .value(reason)
                        .endObject());
        json.endArray().name("groups").beginArray();
        for (VirtualThreadReport.Group group : virtual.groups()) {
            group(group, json);
            json.drainTo(out);
        }
        json.endArray().endObject();
    }

    private static void group(VirtualThreadReport.Group group, Json json) {
        json.beginObject()
                .name("runtime")
                .value(group.runtime().toString())
                .name("state")
                .value(word(group.state()))
                .name("outcome")
                .value(group.outcome().id())
                .name("threads")
                .beginArray();
        for (VirtualThreadReport.Member member : group.threads()) {
            json.beginObject().name("name").value(member.name()).name("id").value(member.id());
            AwaitedLock lock = member.lock();
            if (lock != null) {
                lock(lock, json);
            }
            json.endObject();
        }
        json.endArray().name("frames").beginArray();
        group.stack().forEach(frame -> frame(frame, json));
        json.endArray().endObject();
    }

    private static void deadlocks(LockReport locks, Json json) {
        json.name("deadlocks").beginArray();
        for (LockReport.Deadlock deadlock : locks.deadlocks()) {
            json.beginObject().name("threads").beginArray();
            for (LockReport.Member member : deadlock.members()) {
                json.beginObject()
                        .name("tid")
                        .value(member.tid())
                        .name("name")
                        .value(member.name())
                        .name("id")
                        .value(member.id());
                lock(member.lock(), json);
                json.endObject();
            }
            json.endArray().endObject();
        }
        json.endArray();
    }

    private static void lock(AwaitedLock lock, Json json) {
        json.name("lock")
                .beginObject()
                .name("kind")
                .value(word(lock.kind()))
                .name("class")
                .value(lock.type())
                .name("object")
                .value("0x" + Long.toHexString(lock.object()))
                .name("ownership")
                .value(word(lock.ownership()))
                .name("unread")
                .value(lock.unread());
        AwaitedLock.Owner owner = lock.owner();
        if (owner != null) {
            json.name("owner")
                    .beginObject()
                    .name("tid")
                    .value(owner.tid())
                    .name("name")
                    .value(owner.name())
                    .name("id")
                    .value(owner.id())
                    .endObject();
        }
        json.endObject();
    }

    private static void thread(DumpedThread thread, @Nullable AwaitedLock lock, Json json) {
        json.beginObject()
                .name("name")
                .value(thread.name())
                .name("tid")
                .value(thread.tid())
                .name("kernelName")
                .value(thread.kernelName())
                .name("kernelState")
                .value(String.valueOf(thread.kernelState()))
                .name("cpuNanos")
                .value(thread.cpuNanos())
                .name("elapsedNanos")
                .value(thread.elapsedNanos());
        DumpedThread.JavaThread java = thread.java();
        if (java != null) {
            json.name("java")
                    .beginObject()
                    .name("runtime")
                    .value(java.runtime().toString())
                    .name("id")
                    .value(java.id())
                    .name("daemon")
                    .value(java.daemon())
                    .name("unread")
                    .value(java.unread())
                    .name("state")
                    .value(word(java.state()));
            DumpedThread.Mounted mounted = java.mounted();
            if (mounted != null) {
                json.name("mounted")
                        .beginObject()
                        .name("name")
                        .value(mounted.name())
                        .name("id")
                        .value(mounted.id())
                        .endObject();
            }
            json.endObject();
        }
        if (lock != null) {
            lock(lock, json);
        }
        json.name("status")
                .value(word(thread.result().status()))
                .name("outcome")
                .value(thread.result().outcome().id())
                .name("start")
                .value(word(thread.result().start()))
                .name("stopNanos")
                .value(thread.result().stopNanos())
                .name("reason")
                .value(thread.result().reason())
                .name("frames")
                .beginArray();
        thread.stack().forEach(entry -> entry(entry, json));
        json.endArray().endObject();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void entry(DumpedThread.Entry entry, Json json) {
        Frame frame = entry.frame();
        if (frame != null) {
            json.beginObject();
            fields(frame, json);
            monitors(entry.monitors(), json);
            json.endObject();
        } else {
            json.beginObject()
                    .name("kind")
                    .value("hole")
                    .name("nativeFrames")
                    .value(entry.nativeFrames())
                    .endObject();
        }
    }

    /** Returns the word for the way in which a method was executed. */
    static String mode(Frame.Managed managed) {
        return managed.mode().toLowerCase(Locale.ROOT);
    }

    private static void monitors(List<EnteredMonitor> monitors, Json json) {
        if (monitors.isEmpty()) {
            return;
        }
        json.name("monitors").beginArray();
        for (EnteredMonitor monitor : monitors) {
            json.beginObject()
                    .name("state")
                    .value(word(monitor.state()))
                    .name("class")
                    .value(monitor.type())
                    .name("object")
                    .value("0x" + Long.toHexString(monitor.object()))
                    .name("unread")
                    .value(monitor.unread())
                    .endObject();
        }
        json.endArray();
    }

    /** Appends a frame as an object. */
    static void frame(Frame frame, Json json) {
        json.beginObject();
        fields(frame, json);
        json.endObject();
    }

    private static void fields(Frame frame, Json json) {
        switch (frame) {
            case Frame.Managed managed ->
                json.name("kind")
                        .value(managed.language())
                        .name("runtime")
                        .value(managed.runtime().toString())
                        .name("class")
                        .value(managed.type())
                        .name("method")
                        .value(managed.method())
                        .name("descriptor")
                        .value(managed.descriptor())
                        .name("tier")
                        .value(mode(managed))
                        .name("bci")
                        .value(managed.position())
                        .name("line")
                        .value(managed.line())
                        .name("file")
                        .value(managed.file());
            case Frame.Stub stub ->
                json.name("kind")
                        .value("stub")
                        .name("runtime")
                        .value(stub.runtime().toString())
                        .name("name")
                        .value(stub.name());
            case Frame.Native code ->
                json.name("kind")
                        .value(code.vm() ? "vm" : "native")
                        .name("library")
                        .value(code.library())
                        .name("address")
                        .value("0x" + Long.toHexString(code.address()))
                        .name("symbol")
                        .value(code.symbol());
            case Frame.Omitted omitted ->
                json.name("kind").value("omitted").name("frames").value(omitted.frames());
            case Frame.Kernel kernel ->
                json.name("kind").value("kernel").name("symbol").value(kernel.symbol());
        }
    }
}
