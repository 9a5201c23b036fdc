package mayfly.stack;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.discovery.RuntimeThreads;
import mayfly.linux.sys.CpuLatency;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.ThreadPriority;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.Unread;
import mayfly.stack.ThreadDump.Options;
import mayfly.stack.lock.LockReading;
import mayfly.stack.lock.ThreadMonitors;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import mayfly.unwind.BoundedStack;
import org.jspecify.annotations.Nullable;

/** Creates thread dumps of one process, one after the other. Belongs to the platform thread that opened it. */
public final class ThreadDumper implements AutoCloseable {
    private static final long TICK_NANOS = 10_000_000;
    private static final long PROGRESS_NANOS = 100_000_000;
    /** Upper bound on the frames kept for all threads together, so that they fit into the heap for any target. */
    private static final int MAX_FRAMES = 4 << 20;

    private static final int MIN_FRAMES = 64;
    /** Upper bound on the frames of a walk to the root; such a walk takes at most a second. */
    private static final int MAX_WALKED = 1_000_000;

    private static final int PRIORITY = -15;
    private static final int SHOWN_NAMES = 20;
    /** Upper bound on the wait for a process that is being killed. */
    private static final int DYING_MILLIS = 300;
    /** Upper bound on the wait for an execve(2), if some threads have ended and others have not. */
    private static final int REPLACED_MILLIS = 20;

    private static final int MAX_ENTRIES = 1 << 17;
    /** Upper bound on the time in which stops of a dump with virtual threads are repeated. */
    private static final long REPEATED_NANOS = 5_000_000_000L;

    /** The time between the first stop and the second one; it doubles each time, up to a limit. */
    private static final int BETWEEN_STOPS_MILLIS = 20;

    private static final int MAX_BETWEEN_STOPS_MILLIS = 500;

    private final ThreadWalks walks;
    /**
     * True if the last thread has ended. The threads of a killed process end one after the other, and the process
     * after the last one.
     */
    private boolean lastIsGone;

    private boolean someAreGone;
    /** The runtime whose threads are dumped; null for all threads. */
    private @Nullable ManagedRuntime only;

    /** The entries, so that equal frames are one object in all stacks. */
    private final Map<DumpedThread.Entry, DumpedThread.Entry> entries = new HashMap<>();
    /** The data on managed threads that the current dump has read last. */
    private final Map<ManagedThread, ManagedThreadInfo> infos = new HashMap<>();

    private final LockReading locks;
    /** The virtual threads of the current dump; null if it has none. */
    private @Nullable VirtualThreadReport virtual;

    ThreadDumper(ThreadWalks walks) {
        this.walks = walks;
        this.locks = new LockReading(new KernelThreadsOf(walks.target()));
    }

    /**
     * Opens a process that has a runtime, as {@link ThreadWalks#open} does; waits briefly for a runtime that is
     * starting.
     *
     * @throws Refused as for {@link ThreadWalks#open}
     */
    public static ThreadDumper open(int pid) throws Refused {
        return new ThreadDumper(ThreadWalks.open(pid, true));
    }

    /**
     * Creates a dump.
     *
     * @throws Refused if no thread matches, threads may not be stopped, or the process ended meanwhile
     */
    public ThreadDump dump(Options options, ThreadDump.Progress progress) throws Refused {
        infos.clear();
        virtual = null;
        only = options.runtime().isEmpty()
                ? null
                : RuntimeChoices.chosen(
                        walks.target().pid(),
                        walks.target().runtimes(),
                        options.runtime().get());
        locks.begin(dumpedRuntimes());
        Instant time = Instant.now();
        int usualPriority = ThreadPriority.nice();
        ThreadPriority.nice(PRIORITY); // otherwise a thread may be held while this one waits for a CPU
        List<DumpedThread> threads;
        try (CpuLatency _ = CpuLatency.lowest()) {
            threads =
                    options.together() || options.virtual() ? together(options, progress) : oneByOne(options, progress);
        } finally {
            ThreadPriority.nice(usualPriority);
        }
        WalkedProcess target = walks.target();
        ThreadDump dump = new ThreadDump(
                target.pid(),
                target.mainClass(),
                target.runtimes().stream().map(ManagedRuntime::line).toList(),
                time,
                options.together() || options.virtual(),
                threads,
                mayHaveUnmountedThreads(),
                virtual,
                ThreadDump.Stops.of(threads, options.together() || options.virtual()),
                locks.report(dumpedRuntimes()));
        // Checked last, so that no part of the dump can belong to another program.
        boolean isGone = threads.stream().anyMatch(ThreadDumper::isUnreadable) && target.isLibraryGone();
        int replaced = someAreGone ? REPLACED_MILLIS : 0;
        if (isLost(isGone || lastIsGone ? DYING_MILLIS : replaced) || isGone) {
            throw walks.lost();
        }
        return dump;
    }

    /** Returns true if the memory of a thread or of its runtime could not be read, as after an execve(2). */
    private static boolean isUnreadable(DumpedThread thread) {
        DumpedThread.JavaThread java = thread.java();
        return java != null && java.unread().equals(Unread.NOT_READABLE.label())
                || thread.result().outcome().isBroken();
    }

    /** Returns true if the process has ended or called execve(2), or does so within this time. */
    private boolean isLost(int millis) {
        WalkedProcess target = walks.target();
        long deadline = System.nanoTime() + millis * 1_000_000L;
        while (target.isAlive() && !target.isReplaced()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            target.awaitExit(1);
        }
        return true;
    }

    private List<DumpedThread> oneByOne(Options options, ThreadDump.Progress progress) throws Refused {
        List<Subject> subjects = chosen(options, walks.threads());
        return new Walking(options, progress, subjects.size())
                .all(
                        subjects,
                        (subject, request, callback, stack) ->
                                walks.walk(request, ThreadMonitors.of(subject.runtimeThread), callback, stack));
    }

    private List<DumpedThread> together(Options options, ThreadDump.Progress progress) throws Refused {
        WalkedProcess target = walks.target();
        var reading = new VirtualThreadReading(target, options.virtual() ? dumpedRuntimes() : List.of());
        long deadline = System.nanoTime() + REPEATED_NANOS;
        if (options.virtual()) {
            locks.stopped(dumpedRuntimes(), deadline); // for nothing: the code is compiled, and data are read
        }
        for (int pause = BETWEEN_STOPS_MILLIS; ; pause = Math.min(2 * pause, MAX_BETWEEN_STOPS_MILLIS)) {
            List<TargetThread> before = walks.threads();
            try (StoppedThreads all = StoppedThreads.copy(walks, before, copying(options, reading))) {
                if (!reading.mustBeRepeated() || System.nanoTime() - deadline >= 0) {
                    List<Subject> subjects = chosen(options, asBefore(walks.threads(), before));
                    List<DumpedThread> walked = new Walking(options, progress, subjects.size())
                            .all(subjects, (subject, request, callback, stack) -> all.walk(request, callback, stack));
                    virtual = options.virtual() ? reading.report(options.hidden(), locks) : null;
                    return walked;
                }
            }
            target.awaitExit(pause);
        }
    }

    /** Returns the copy of what belongs to virtual threads, which is made while all threads are stopped. */
    private LongConsumer copying(Options options, VirtualThreadReading reading) {
        return deadline -> {
            reading.copy(deadline);
            if (options.virtual()) {
                locks.stopped(dumpedRuntimes(), deadline);
            }
        };
    }

    /**
     * Returns the thread states from before the walks: released threads run for a moment, even in a stopped process.
     */
    private static List<TargetThread> asBefore(List<TargetThread> now, List<TargetThread> before) {
        Map<Integer, TargetThread> known = new HashMap<>();
        before.forEach(thread -> known.put(thread.tid(), thread));
        return now.stream()
                .map(thread -> {
                    TargetThread earlier = known.get(thread.tid());
                    return earlier != null && earlier.startTicks() == thread.startTicks() ? earlier : thread;
                })
                .toList();
    }

    /** A thread to be walked, and the runtime's information about it. */
    private record Subject(
            TargetThread thread, String wholeName, RuntimeThreads.@Nullable RuntimeThread runtimeThread) {

        int position() {
            return runtimeThread == null ? Integer.MAX_VALUE : runtimeThread.position();
        }
    }

    private DumpedThread.@Nullable JavaThread java(Subject subject) {
        RuntimeThreads.RuntimeThread known = subject.runtimeThread;
        if (known == null) {
            return null;
        }
        ManagedThreadInfo info = known.runtime().info(known.thread());
        infos.put(known.thread(), info);
        Unread unread = info.unread();
        ManagedThreadInfo.Mounted mounted = info.mounted();
        return new DumpedThread.JavaThread(
                known.runtime().id(),
                info.name(),
                info.managedId(),
                info.daemon(),
                ThreadState.of(info.state()),
                mounted == null ? null : new DumpedThread.Mounted(mounted.name(), mounted.managedId()),
                unread == null ? "" : unread.label());
    }

    private String name(Subject subject) {
        DumpedThread.JavaThread java = java(subject);
        String name = java == null ? null : java.name();
        return name == null ? subject.wholeName : name;
    }

    private List<ManagedRuntime> dumpedRuntimes() {
        return walks.target().runtimes().stream()
                .filter(runtime -> only == null || only.equals(runtime))
                .toList();
    }

    /** Returns true if a runtime may have threads that are not in the dump. Reads no thread of the dump again. */
    private boolean mayHaveUnmountedThreads() {
        return dumpedRuntimes().stream()
                .anyMatch(runtime ->
                        runtime.mayHaveUnmountedThreads(thread -> infos.computeIfAbsent(thread, runtime::info)));
    }

    private List<Subject> chosen(Options options, List<TargetThread> threads) throws Refused {
        List<Subject> all = subjects(managedThreads(), threads);
        if (all.isEmpty() && only != null) {
            throw new Refused(
                    Reason.NO_SUCH_THREAD,
                    RuntimeChoices.name(only) + " of process " + walks.target().pid() + " has no thread",
                    "");
        }
        return options.thread().isEmpty() ? all : matching(all, options.thread());
    }

    /**
     * Returns the managed threads, by thread id in the process's own pid namespace. A thread that runs methods of
     * several runtimes in turn belongs to each of them.
     */
    private Map<Integer, RuntimeThreads.RuntimeThread> managedThreads() {
        ManagedRuntime runtime = only;
        if (runtime == null) {
            return walks.target().managedThreads();
        }
        walks.target().forgetMemory();
        Map<Integer, RuntimeThreads.RuntimeThread> its = new HashMap<>();
        try {
            for (ManagedThread thread : runtime.threads()) {
                its.putIfAbsent(thread.tid(), new RuntimeThreads.RuntimeThread(runtime, thread, its.size()));
            }
        } catch (MemoryFault e) {
            its.clear(); // the process is exiting, which the end of the dump detects
        }
        return its;
    }

    private List<Subject> subjects(Map<Integer, RuntimeThreads.RuntimeThread> managed, List<TargetThread> threads) {
        List<Subject> subjects = new ArrayList<>();
        for (TargetThread thread : threads) {
            RuntimeThreads.RuntimeThread runtimeThread =
                    managed.get(walks.target().innerTid(thread.tid()));
            if (only == null || runtimeThread != null) {
                subjects.add(new Subject(thread, walks.target().wholeName(thread.name()), runtimeThread));
            }
        }
        subjects.sort(Comparator.comparingInt(Subject::position).thenComparingInt(each -> each.thread.tid()));
        return subjects;
    }

    /** Returns the threads with this id, or else with this name, or else with this text in their name. */
    private List<Subject> matching(List<Subject> subjects, String nameOrTid) throws Refused {
        List<Subject> byId = subjects.stream()
                .filter(each -> Integer.toString(each.thread.tid()).equals(nameOrTid))
                .toList();
        if (!byId.isEmpty()) {
            return byId;
        }
        Map<Subject, String> names = new HashMap<>();
        subjects.forEach(each -> names.put(each, name(each)));
        List<Subject> named = subjects.stream()
                .filter(each -> nameOrTid.equals(names.get(each)))
                .toList();
        if (named.isEmpty()) {
            named = subjects.stream()
                    .filter(each -> names.getOrDefault(each, "").contains(nameOrTid))
                    .toList();
        }
        if (named.isEmpty()) {
            throw new Refused(
                    Reason.NO_SUCH_THREAD,
                    "no thread of " + (only == null ? "" : RuntimeChoices.name(only) + " in ") + "process "
                            + walks.target().pid() + " has the id or the name '" + nameOrTid + "'",
                    subjects.stream()
                            .limit(SHOWN_NAMES)
                            .map(each -> each.thread.tid() + "  " + names.get(each))
                            .collect(Collectors.joining("\n")));
        }
        return named;
    }

    /** Walks one thread. */
    @FunctionalInterface
    private interface Walk {
        ThreadWalk walk(
                Subject subject,
                WalkRequest request,
                FrameCallback<BoundedStack<DumpedThread.Entry>> callback,
                BoundedStack<DumpedThread.Entry> stack)
                throws Refused;
    }

    /** Walks the threads one after the other. */
    private final class Walking {
        private final Options options;
        private final ThreadDump.Progress progress;
        private final int total;
        private final List<DumpedThread> threads = new ArrayList<>();
        private int framesLeft = MAX_FRAMES;
        private long nextTick = System.nanoTime() + PROGRESS_NANOS;

        Walking(Options options, ThreadDump.Progress progress, int total) {
            this.options = options;
            this.progress = progress;
            this.total = total;
        }

        List<DumpedThread> all(List<Subject> subjects, Walk walk) throws Refused {
            List<Subject> walkedSubjects = new ArrayList<>();
            someAreGone = false;
            for (Subject subject : subjects) {
                tick();
                DumpedThread walked = one(subject, walk);
                lastIsGone = walked == null;
                someAreGone |= lastIsGone;
                if (walked != null) {
                    threads.add(walked);
                    walkedSubjects.add(subject);
                }
            }
            for (int i = 0; i < threads.size(); i++) {
                if (isUnreadWhileMoving(threads.get(i).java())) {
                    threads.set(i, threads.get(i).with(java(walkedSubjects.get(i))));
                }
            }
            return mainFirst(threads);
        }

        private void tick() {
            if (System.nanoTime() - nextTick >= 0) {
                progress.tick(threads.size(), total);
                nextTick = System.nanoTime() + PROGRESS_NANOS;
            }
        }

        private @Nullable DumpedThread one(Subject subject, Walk walk) throws Refused {
            int share = Math.max(MIN_FRAMES, framesLeft / Math.max(1, total - threads.size()));
            BoundedStack<DumpedThread.Entry> stack =
                    new BoundedStack<>(new DumpedThread.Entry[64], Math.min(WalkRequest.MAX_FRAMES, share & -2));
            ThreadWalk result = walk.walk(
                    subject,
                    request(subject.thread.tid()),
                    (report, into) -> {
                        into.add(entry(report));
                        return FrameCallback.Action.CONTINUE;
                    },
                    stack);
            stack.close(new DumpedThread.Entry(new Frame.Omitted(stack.omitted()), 0));
            framesLeft -= stack.size();
            return dumped(
                    subject,
                    stack.omitted() > 0 ? result.shortened() : result,
                    Arrays.asList(stack.frames()).subList(0, stack.size()));
        }

        private WalkRequest request(int tid) {
            return new WalkRequest(tid, options.holes(), options.hidden(), MAX_WALKED, null);
        }
    }

    /** The threads of the dumped process, for the reading of locks. */
    private record KernelThreadsOf(WalkedProcess target) implements LockReading.KernelThreads {
        @Override
        public Map<Integer, Integer> idsByInnerIds() {
            Map<Integer, Integer> ids = new HashMap<>();
            try {
                for (TargetThread each : target.threads()) {
                    ids.put(target.innerTid(each.tid()), each.tid());
                }
                return ids;
            } catch (IOException e) {
                return Map.of(); // the process has ended, which the end of the dump detects
            }
        }

        @Override
        public long cpuNanos(int tid) {
            return target.cpuNanos(tid);
        }
    }

    /** Returns true if a collection prevented reading; it has probably finished when all threads have been walked. */
    private static boolean isUnreadWhileMoving(DumpedThread.@Nullable JavaThread java) {
        return java != null && java.unread().equals(Unread.MOVING.label());
    }

    private @Nullable DumpedThread dumped(Subject subject, ThreadWalk result, List<DumpedThread.Entry> stack) {
        TargetThread thread = subject.thread;
        if (result.status() == WalkStatus.THREAD_GONE) {
            return null; // treated as if it had ended a little earlier
        }
        if (subject.runtimeThread != null) {
            locks.note(thread.tid(), subject.runtimeThread);
        }
        return new DumpedThread(
                thread.tid(),
                thread.name(),
                subject.wholeName,
                java(subject),
                thread.state(),
                walks.target().cpuNanos(thread.tid()),
                Math.max(0, KernelClock.BOOT.nanos() - thread.startTicks() * TICK_NANOS),
                result,
                stack);
    }

    private DumpedThread.Entry entry(FrameReport report) {
        if (!report.monitors().isEmpty()) {
            List<EnteredMonitor> monitors =
                    report.monitors().stream().map(EnteredMonitor::of).toList();
            return new DumpedThread.Entry(report.frame(), report.nativeFrames(), monitors);
        }
        if (entries.size() > MAX_ENTRIES) {
            entries.clear();
        }
        return entries.computeIfAbsent(new DumpedThread.Entry(report.frame(), report.nativeFrames()), entry -> entry);
    }

    private static List<DumpedThread> mainFirst(List<DumpedThread> threads) {
        List<DumpedThread> ordered = new ArrayList<>(threads);
        for (DumpedThread thread : threads) {
            if (thread.java() != null && thread.name().equals("main")) {
                ordered.remove(thread);
                ordered.addFirst(thread);
                break;
            }
        }
        return ordered;
    }

    @Override
    public void close() {
        walks.close();
    }
}
