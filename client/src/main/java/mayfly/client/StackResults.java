package mayfly.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import mayfly.client.json.BadJson;
import mayfly.client.json.JsonObject;

/** The result of {@code stack}, read from its JSON, see docs/formats/stack-json.md. */
final class StackResults {
    private StackResults() {}

    record Dump(
            long pid,
            String mainClass,
            List<String> runtimes,
            Instant time,
            boolean together,
            ThreadDump.Stops stops,
            List<ThreadDump.DumpedThread> threads,
            Optional<ThreadDump.VirtualThreads> virtual,
            List<ThreadDump.Deadlock> deadlocks)
            implements ThreadDump {

        static Dump of(JsonObject json) throws BadJson {
            Optional<ThreadDump.VirtualThreads> virtual =
                    json.has("virtual") ? Optional.of(Virtual.of(json.object("virtual"))) : Optional.empty();
            return new Dump(
                    json.number("pid"),
                    json.text("mainClass"),
                    json.texts("runtimes"),
                    json.time("time"),
                    json.flag("together"),
                    StopTimes.of(json.object("stops")),
                    json.objects("threads", OneThread::of),
                    virtual,
                    json.objects("deadlocks", OneDeadlock::of));
        }
    }

    record Virtual(
            long threads,
            long mounted,
            boolean allRecorded,
            List<ThreadDump.UnreadThreads> unread,
            List<ThreadDump.UnreadableRuntime> unreadable,
            List<ThreadDump.VirtualGroup> groups)
            implements ThreadDump.VirtualThreads {

        static Virtual of(JsonObject json) throws BadJson {
            return new Virtual(
                    json.number("threads"),
                    json.number("mounted"),
                    json.flag("allRecorded"),
                    json.objects("unread", OneUnread::of),
                    json.objects("unreadable", OneUnreadable::of),
                    json.objects("groups", OneGroup::of));
        }
    }

    record OneUnread(String reason, long threads) implements ThreadDump.UnreadThreads {

        static OneUnread of(JsonObject json) throws BadJson {
            return new OneUnread(json.text("reason"), json.number("threads"));
        }
    }

    record OneUnreadable(String runtime, String reason) implements ThreadDump.UnreadableRuntime {

        static OneUnreadable of(JsonObject json) throws BadJson {
            return new OneUnreadable(json.text("runtime"), json.text("reason"));
        }
    }

    record OneGroup(
            String runtime, String state, String outcome, List<ThreadDump.VirtualThread> threads, List<Frame> frames)
            implements ThreadDump.VirtualGroup {

        static OneGroup of(JsonObject json) throws BadJson {
            return new OneGroup(
                    json.text("runtime"),
                    json.text("state"),
                    json.text("outcome"),
                    json.objects("threads", OneVirtualThread::of),
                    json.objects("frames", StackResults::frame));
        }
    }

    record OneDeadlock(List<ThreadDump.DeadlockedThread> threads) implements ThreadDump.Deadlock {

        static OneDeadlock of(JsonObject json) throws BadJson {
            return new OneDeadlock(json.objects("threads", OneDeadlockedThread::of));
        }
    }

    record OneDeadlockedThread(long tid, String name, long id, ThreadDump.Lock lock)
            implements ThreadDump.DeadlockedThread {

        static OneDeadlockedThread of(JsonObject json) throws BadJson {
            return new OneDeadlockedThread(
                    json.number("tid"), json.text("name"), json.number("id"), OneLock.of(json.object("lock")));
        }
    }

    record OneLock(
            String kind,
            String className,
            String object,
            String ownership,
            Optional<ThreadDump.LockOwner> owner,
            String unread)
            implements ThreadDump.Lock {

        static OneLock of(JsonObject json) throws BadJson {
            Optional<ThreadDump.LockOwner> owner =
                    json.has("owner") ? Optional.of(OneLockOwner.of(json.object("owner"))) : Optional.empty();
            return new OneLock(
                    json.text("kind"),
                    json.text("class"),
                    json.text("object"),
                    json.text("ownership"),
                    owner,
                    json.text("unread"));
        }
    }

    record OneLockOwner(long tid, String name, long id) implements ThreadDump.LockOwner {

        static OneLockOwner of(JsonObject json) throws BadJson {
            return new OneLockOwner(json.number("tid"), json.text("name"), json.number("id"));
        }
    }

    record StopTimes(long count, Duration median, Duration longest, long unstopped, Duration limit, long overLimit)
            implements ThreadDump.Stops {

        static StopTimes of(JsonObject json) throws BadJson {
            return new StopTimes(
                    json.number("count"),
                    json.nanos("medianNanos"),
                    json.nanos("longestNanos"),
                    json.number("unstopped"),
                    json.nanos("limitNanos"),
                    json.number("overLimit"));
        }
    }

    record OneThread(
            String name,
            long tid,
            String kernelName,
            String kernelState,
            Optional<Duration> cpu,
            Duration elapsed,
            Optional<ThreadDump.JavaThread> java,
            Optional<ThreadDump.Lock> lock,
            String status,
            String outcome,
            String start,
            Duration stop,
            String reason,
            List<Frame> frames)
            implements ThreadDump.DumpedThread {

        static OneThread of(JsonObject json) throws BadJson {
            Optional<ThreadDump.JavaThread> java =
                    json.has("java") ? Optional.of(OneJavaThread.of(json.object("java"))) : Optional.empty();
            Optional<ThreadDump.Lock> lock =
                    json.has("lock") ? Optional.of(OneLock.of(json.object("lock"))) : Optional.empty();
            return new OneThread(
                    json.text("name"),
                    json.number("tid"),
                    json.text("kernelName"),
                    json.text("kernelState"),
                    json.knownNanos("cpuNanos"),
                    json.nanos("elapsedNanos"),
                    java,
                    lock,
                    json.text("status"),
                    json.text("outcome"),
                    json.text("start"),
                    json.nanos("stopNanos"),
                    json.text("reason"),
                    json.objects("frames", StackResults::frame));
        }
    }

    record OneJavaThread(
            String runtime,
            long id,
            boolean daemon,
            String unread,
            String state,
            Optional<ThreadDump.VirtualThread> mounted)
            implements ThreadDump.JavaThread {

        static OneJavaThread of(JsonObject json) throws BadJson {
            Optional<ThreadDump.VirtualThread> mounted =
                    json.has("mounted") ? Optional.of(OneVirtualThread.of(json.object("mounted"))) : Optional.empty();
            return new OneJavaThread(
                    json.text("runtime"),
                    json.number("id"),
                    json.flag("daemon"),
                    json.text("unread"),
                    json.text("state"),
                    mounted);
        }
    }

    record OneVirtualThread(String name, long id, Optional<ThreadDump.Lock> lock) implements ThreadDump.VirtualThread {
        static OneVirtualThread of(JsonObject json) throws BadJson {
            Optional<ThreadDump.Lock> lock =
                    json.has("lock") ? Optional.of(OneLock.of(json.object("lock"))) : Optional.empty();
            return new OneVirtualThread(json.text("name"), json.number("id"), lock);
        }
    }

    private static Frame frame(JsonObject json) throws BadJson {
        String kind = json.text("kind");
        return switch (kind) {
            case "stub" -> new StubFrame(kind, json.text("runtime"), json.text("name"));
            case "vm", "native" ->
                new NativeFrame(kind, json.text("library"), json.text("address"), json.text("symbol"));
            case "kernel" -> new KernelFrame(kind, json.text("symbol"));
            case "hole" -> new HoleFrame(kind, json.known("nativeFrames"));
            case "omitted" -> new OmittedFrames(kind, json.number("frames"));
            // Any other kind with a method is the word of a language.
            default -> json.has("method") ? ManagedFrame.of(kind, json) : new OtherFrame(kind);
        };
    }

    record ManagedFrame(
            String kind,
            String runtime,
            String className,
            String method,
            String descriptor,
            String tier,
            OptionalInt bci,
            OptionalInt line,
            String file,
            List<Frame.Monitor> monitors)
            implements Frame.Managed {

        static ManagedFrame of(String kind, JsonObject json) throws BadJson {
            return new ManagedFrame(
                    kind,
                    json.text("runtime"),
                    json.text("class"),
                    json.text("method"),
                    json.text("descriptor"),
                    json.text("tier"),
                    json.knownInt("bci"),
                    json.knownInt("line"),
                    json.text("file"),
                    json.has("monitors") ? json.objects("monitors", OneMonitor::of) : List.of());
        }

        @Override
        public String toString() {
            return className + "." + method + "(" + place() + ")";
        }

        private String place() {
            if (tier.equals("native")) {
                return "Native Method";
            }
            if (file.isEmpty()) {
                return "Unknown Source";
            }
            return line.isPresent() ? file + ":" + line.getAsInt() : file;
        }
    }

    record OneMonitor(String state, String className, String object, String unread) implements Frame.Monitor {

        static OneMonitor of(JsonObject json) throws BadJson {
            return new OneMonitor(json.text("state"), json.text("class"), json.text("object"), json.text("unread"));
        }
    }

    record StubFrame(String kind, String runtime, String name) implements Frame.Stub {
        @Override
        public String toString() {
            return name + " (stub)";
        }
    }

    record NativeFrame(String kind, String library, String address, String symbol) implements Frame.Native {
        @Override
        public String toString() {
            String name = symbol.isEmpty() ? address : symbol;
            return (library.isEmpty() ? "" : library + "!") + name + (kind.equals("vm") ? " (VM)" : " (native)");
        }
    }

    record KernelFrame(String kind, String symbol) implements Frame.Kernel {
        @Override
        public String toString() {
            return symbol + " (kernel)";
        }
    }

    record HoleFrame(String kind, OptionalLong nativeFrames) implements Frame.Hole {
        @Override
        public String toString() {
            return nativeFrames.isPresent()
                    ? "... " + nativeFrames.getAsLong() + " native frames"
                    : "... native frames may be missing";
        }
    }

    record OmittedFrames(String kind, long frames) implements Frame.Omitted {
        @Override
        public String toString() {
            return "... " + frames + " frames omitted";
        }
    }

    record OtherFrame(String kind) implements Frame.Other {
        @Override
        public String toString() {
            return "... a frame of the kind " + kind;
        }
    }
}
