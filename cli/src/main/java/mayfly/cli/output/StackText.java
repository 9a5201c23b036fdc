package mayfly.cli.output;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.stack.DumpedThread;
import mayfly.stack.FrameReport;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadWalk;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import org.jspecify.annotations.Nullable;

/** A thread dump as text, in the layout of jstack. */
public final class StackText {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());
    private static final String UNMOUNTED = "Unmounted virtual threads are not shown; --virtual shows them.\n";
    private static final String UNRECORDED = "Virtual threads that no executor and no scope started are missing: the"
            + " program runs with -Djdk.trackAllThreads=false.\n";
    /** The number of threads of a group that are named. */
    private static final int NAMED = 8;

    private static final String FRAME = "\tat ";

    private final StringBuilder text = new StringBuilder();

    private StackText() {}

    /**
     * Writes a thread dump in UTF-8, one thread after the other. Does not close the stream.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(ThreadDump dump, OutputStream out) throws IOException {
        var page = new StackText();
        page.head(dump);
        page.drainTo(out);
        Map<Integer, List<AwaitedLock>> synchronizers = dump.locks().synchronizers();
        for (DumpedThread thread : dump.threads()) {
            page.text.append('\n');
            page.thread(
                    thread,
                    dump.locks().awaited().get(thread.tid()),
                    dump.runtimes().size() > 1);
            LockText.appendSynchronizers(synchronizers.getOrDefault(thread.tid(), List.of()), page.text);
            page.drainTo(out);
        }
        VirtualThreadReport virtual = dump.virtual();
        if (virtual != null) {
            for (VirtualThreadReport.Group group : virtual.groups()) {
                page.group(group, dump.runtimes().size() > 1);
                page.drainTo(out);
            }
        }
        LockText.append(dump.locks(), page.text);
        page.drainTo(out);
    }

    private void drainTo(OutputStream out) throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }

    private void head(ThreadDump dump) {
        text.append(TIME.format(dump.time())).append("  process ").append(dump.pid());
        if (!dump.mainClass().isEmpty()) {
            text.append(", ").append(Text.printable(dump.mainClass()));
        }
        Text.runtimes(dump.runtimes()).forEach(runtime -> text.append(", ").append(runtime));
        text.append('\n');
        ThreadDump.Stops stops = dump.stops();
        text.append(Text.count(dump.threads().size())).append(dump.threads().size() == 1 ? " thread" : " threads");
        if (stops.count() > 0) {
            text.append(
                    dump.together()
                            ? ", " + Text.count(stops.count()) + " stopped together for " + micros(stops.longestNanos())
                            : ", " + Text.count(stops.count()) + " stopped, one at a time: median "
                                    + micros(stops.medianNanos()) + ", longest " + micros(stops.longestNanos()));
            text.append(
                    stops.overLimit() == 0
                            ? ""
                            : ", " + Text.count(stops.overLimit()) + " longer than " + stops.limitNanos() / 1_000_000
                                    + " ms");
        }
        if (stops.unstopped() > 0) {
            text.append(", ")
                    .append(Text.count(stops.unstopped()))
                    .append(" not stopped because that would have ended a system call early");
        }
        text.append('\n');
        VirtualThreadReport virtual = dump.virtual();
        if (virtual != null) {
            summary(virtual);
        } else if (dump.unmounted()) {
            text.append(UNMOUNTED);
        }
        LockText.appendSummary(dump.locks(), text);
    }

    private void summary(VirtualThreadReport virtual) {
        text.append(Text.count(virtual.threads()))
                .append(
                        virtual.threads() == 1
                                ? " virtual thread is not mounted, in "
                                : " virtual threads are not mounted, in ")
                .append(Text.count(virtual.groups().size()))
                .append(virtual.groups().size() == 1 ? " group; mounted: " : " groups; mounted: ")
                .append(Text.count(virtual.mounted()))
                .append('\n');
        virtual.unread()
                .forEach((reason, count) -> text.append("Virtual threads not read: ")
                        .append(Text.count(count))
                        .append(" (")
                        .append(reason)
                        .append(")\n"));
        virtual.problems()
                .forEach((runtime, reason) -> text.append("The virtual threads of ")
                        .append(runtime)
                        .append(" could not be read: ")
                        .append(reason)
                        .append('\n'));
        text.append(virtual.areAllRecorded() ? "" : UNRECORDED);
    }

    /** Appends virtual threads with equal stacks. */
    private void group(VirtualThreadReport.Group group, boolean severalRuntimes) {
        int count = group.threads().size();
        text.append('\n')
                .append(count == 1 ? "Virtual thread" : Text.count(count) + " virtual threads")
                .append(severalRuntimes ? " of " + group.runtime() : "")
                .append(", ")
                .append(
                        group.state() == ThreadState.UNKNOWN
                                ? "state not known"
                                : group.state().word())
                .append(':');
        for (VirtualThreadReport.Member member : group.threads().subList(0, Math.min(NAMED, count))) {
            text.append(member.name().isEmpty() ? "" : " \"" + Text.escaped(member.name()) + '"')
                    .append(" #")
                    .append(member.id());
        }
        text.append(count > NAMED ? " ...\n" : "\n");
        boolean isShown = false;
        for (Frame frame : group.stack()) {
            text.append(FRAME).append(line(frame)).append('\n');
            if (!isShown && frame instanceof Frame.Managed) {
                LockText.appendLines(group.threads(), text);
                isShown = true;
            }
        }
        if (group.outcome() != WalkOutcome.COMPLETE) {
            text.append("\t[broken:").append(group.outcome().id()).append("]\n");
        }
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }

    private void thread(DumpedThread thread, @Nullable AwaitedLock lock, boolean severalRuntimes) {
        text.append('"').append(Text.escaped(thread.name())).append('"');
        DumpedThread.JavaThread java = thread.java();
        if (java != null) {
            if (java.id() != 0) {
                text.append(" #").append(java.id());
            }
            text.append(java.daemon() ? " daemon" : "");
            text.append(severalRuntimes ? " " + java.runtime() : "");
        }
        text.append(" tid=").append(thread.tid());
        if (thread.cpuNanos() >= 0) {
            text.append(String.format(Locale.ROOT, " cpu=%.2fms", thread.cpuNanos() / 1e6));
        }
        text.append(String.format(Locale.ROOT, " elapsed=%.2fs", thread.elapsedNanos() / 1e9));
        text.append(' ').append(state(thread));
        if (java != null && !java.unread().isEmpty()) {
            text.append(" [Java name not read: ").append(java.unread()).append(']');
        }
        text.append('\n');
        if (java != null) {
            mounted(java.mounted());
        }
        boolean isShown = lock == null;
        for (DumpedThread.Entry entry : thread.stack()) {
            entry(entry);
            if (!isShown && entry.frame() instanceof Frame.Managed) {
                LockText.appendLine(lock, text);
                isShown = true;
            }
            LockText.appendMonitors(entry.monitors(), text);
        }
        if (!isShown) {
            LockText.appendLine(lock, text);
        }
        end(thread.result());
    }

    /** Appends the mounted virtual thread as Thread.print does, with its name added. */
    private void mounted(DumpedThread.@Nullable Mounted virtual) {
        if (virtual != null) {
            text.append("   Carrying virtual thread #").append(virtual.id());
            text.append(virtual.name().isEmpty() ? "" : " \"" + Text.escaped(virtual.name()) + '"')
                    .append('\n');
        }
    }

    /** Returns the Java state, and the kernel's if that is unusual; the kernel's alone if there is no Java state. */
    static String state(DumpedThread thread) {
        String kernel = switch (thread.kernelState()) {
            case 'R' -> "running";
            case 'S', 'I' -> "sleeping";
            case 'D' -> "uninterruptible";
            case 'T' -> "stopped";
            case 't' -> "traced";
            case 'Z', 'X' -> "ended";
            default -> "state " + thread.kernelState();
        };
        DumpedThread.JavaThread java = thread.java();
        if (java == null || java.state() == ThreadState.UNKNOWN) {
            return kernel;
        }
        return switch (thread.kernelState()) {
            case 'R', 'S', 'I' -> java.state().word();
            default -> java.state().word() + ", " + kernel;
        };
    }

    private void entry(DumpedThread.Entry entry) {
        Frame frame = entry.frame();
        if (frame instanceof Frame.Omitted omitted) {
            text.append("\t... ").append(Text.count(omitted.frames())).append(" frames omitted\n");
        } else if (frame == null) {
            text.append("\t... ").append(hole(entry.nativeFrames())).append('\n');
        } else {
            text.append(FRAME).append(line(frame)).append('\n');
        }
    }

    private static String hole(int frames) {
        return switch (frames) {
            case FrameReport.UNKNOWN -> "native frames may be missing";
            case 1 -> "1 native frame";
            default -> frames + " native frames";
        };
    }

    static String line(Frame frame) {
        return switch (frame) {
            case Frame.Managed managed -> Text.escaped(managed.label()) + "(" + place(managed) + ")";
            case Frame.Stub stub -> Text.escaped(stub.label()) + " (stub)";
            case Frame.Native code -> named(code) + (code.vm() ? " (VM)" : " (native)");
            case Frame.Kernel kernel -> Text.escaped(kernel.label());
            case Frame.Omitted omitted -> omitted.label();
        };
    }

    /** Returns the position in the syntax of StackTraceElement, so that development environments can open the line. */
    private static String place(Frame.Managed managed) {
        if (managed.kind().equals(Frame.Managed.NATIVE)) {
            return "Native Method";
        }
        String file = Text.escaped(managed.file());
        if (managed.line() < 0) {
            return file.isEmpty() ? "Unknown Source" : file;
        }
        return file.isEmpty() ? "line " + managed.line() : file + ":" + managed.line();
    }

    /** Returns the file and the function, or the address in that file. */
    private static String named(Frame.Native code) {
        String library = code.library().isEmpty() ? "" : Text.escaped(code.library()) + "!";
        return library
                + (code.symbol().isEmpty() ? "0x" + Long.toHexString(code.address()) : Text.escaped(code.symbol()));
    }

    private void end(ThreadWalk result) {
        switch (result.status()) {
            case DONE -> {
                if (result.outcome() == WalkOutcome.TRUNCATED) {
                    text.append("\t[truncated]\n");
                } else if (result.outcome() == WalkOutcome.UNPROVEN) {
                    text.append("\t[unproven: the outer frames were read after the thread had run on]\n");
                }
            }
            case BROKEN, STACK_SNAPSHOT_UNMANAGED_CONTEXT ->
                text.append("\t[broken:").append(result.outcome().id()).append("]\n");
            case STACK_SNAPSHOT_UNSAFE ->
                text.append("\t[unsafe: ")
                        .append(Text.printable(result.reason()))
                        .append("]\n");
            case STACK_SNAPSHOT_ABORTED, THREAD_GONE -> text.append("\t[gone]\n");
        }
    }
}
