package mayfly.stack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper.Outcome;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.profile.Frame;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.Step;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.unwind.NativeCode;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.Walker;
import org.jspecify.annotations.Nullable;

/** A process whose threads, copies and stacks a test scripts. No part of a stack is readable beyond the registers. */
final class ScriptedProcess implements WalkedProcess, ThreadCopier {
    static final int PID = 4711;
    static final long SP = 0x7000_0000;
    private static final Memory NOTHING = (address, to, offset, length) -> {
        throw new MemoryFault(address, length);
    };

    final ScriptedRuntime runtime = new ScriptedRuntime(1);
    /** Another runtime of the process; null if there is none. */
    @Nullable
    ScriptedRuntime second;

    final List<TargetThread> threads = new ArrayList<>();
    /** The program counter of each thread. */
    final Map<Integer, Long> pcs = new HashMap<>();
    /** The outcomes of the copies of a thread, if it is not COPIED; the last one is repeated. */
    final Map<Integer, List<Outcome>> outcomes = new HashMap<>();
    /** The calls, in order. */
    final List<String> calls = new ArrayList<>();

    String refusal = "";
    boolean isTracedByAnother;
    boolean isReplaced;
    boolean isLibraryGone;
    boolean isAlive = true;
    /** True if the process ends while a test waits for that. */
    boolean isEnding;
    /** True if each stop reaches its limit before the runtime's record is read. */
    boolean reachesLimit;

    int refusedTid;

    ThreadWalks walks() {
        return new ThreadWalks(this, this);
    }

    /** Adds a thread that the runtime does not know. */
    ScriptedProcess thread(int tid, String kernelName, long pc) {
        threads.add(new TargetThread(tid, kernelName, 'S', 100, 0, 0));
        pcs.put(tid, pc);
        return this;
    }

    /** Adds a Java thread, whose handle is its id. Its information is returned by successive queries. */
    ScriptedProcess javaThread(int tid, long pc, ManagedThreadInfo... infos) {
        thread(tid, "java", pc);
        runtime.threads.add(new ManagedThread(tid, tid));
        runtime.infos.put((long) tid, new ArrayList<>(List.of(infos)));
        return this;
    }

    ScriptedProcess javaThread(int tid, String name, long pc) {
        return javaThread(tid, pc, new ManagedThreadInfo(name, ManagedThreadState.PARKED, false, tid));
    }

    /** Adds code with one frame, in which a walk is complete. */
    ScriptedProcess root(long pc, Frame frame) {
        runtime.end(pc, Step.ROOT, frame);
        return this;
    }

    /** Returns registers of a frame. */
    static Registers at(long pc, long sp) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.setPc(pc);
        registers.setSp(sp);
        return registers;
    }

    @Override
    public Outcome copy(int tid, ThreadSnapshot into, Runnable held) {
        calls.add("copy " + tid);
        Outcome outcome = put(tid, into);
        if (outcome == Outcome.COPIED && !reachesLimit) {
            held.run();
        }
        return outcome;
    }

    private Outcome put(int tid, ThreadSnapshot into) {
        into.begin();
        List<Outcome> left = outcomes.getOrDefault(tid, List.of(Outcome.COPIED));
        Outcome outcome = left.size() == 1 ? left.getFirst() : left.removeFirst();
        if (outcome == Outcome.COPIED || outcome == Outcome.COPIED_UNSTOPPED) {
            into.registers().copyFrom(at(pcs.getOrDefault(tid, 0L), SP));
            into.time(1_000 + tid, outcome == Outcome.COPIED ? 20 : 0);
        }
        return outcome;
    }

    @Override
    public AllCopies copyAll(Map<Integer, Runnable> onCopy, LongConsumer whileStopped) {
        calls.add("copyAll");
        onCopy.values().forEach(Runnable::run);
        whileStopped.accept(Long.MAX_VALUE);
        return new AllCopies() {
            @Override
            public int refusedTid() {
                return refusedTid;
            }

            @Override
            public Outcome copy(int tid, ThreadSnapshot into) {
                return put(tid, into);
            }

            @Override
            public void close() {
                calls.add("release");
            }
        };
    }

    @Override
    public boolean releaseLate() {
        return true;
    }

    @Override
    public String refusal() {
        return refusal;
    }

    @Override
    public boolean isTracedByAnother() {
        return isTracedByAnother;
    }

    @Override
    public int pid() {
        return PID;
    }

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public boolean isAlive() {
        return isAlive;
    }

    @Override
    public boolean awaitExit(int millis) {
        isAlive &= !isEnding;
        return !isAlive;
    }

    @Override
    public boolean isReplaced() {
        return isReplaced;
    }

    @Override
    public boolean isLibraryGone() {
        calls.add("isLibraryGone");
        return isLibraryGone;
    }

    @Override
    public String mainClass() {
        return "Orders";
    }

    @Override
    public List<ManagedRuntime> runtimes() {
        return second == null ? List.of(runtime) : List.of(runtime, second);
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        if (!isAlive) {
            throw new IOException("no such process");
        }
        return List.copyOf(threads);
    }

    @Override
    public Map<Integer, RuntimeThread> managedThreads() {
        Map<Integer, RuntimeThread> all = new HashMap<>();
        runtime.threads.forEach(thread -> all.put(thread.tid(), new RuntimeThread(runtime, thread, all.size())));
        return all;
    }

    @Override
    public int innerTid(int tid) {
        return tid;
    }

    @Override
    public String wholeName(String kernelsName) {
        return kernelsName.equals("VM Periodic Tas") ? "VM Periodic Task Thread" : kernelsName;
    }

    @Override
    public long cpuNanos(int tid) {
        return tid * 1000L;
    }

    @Override
    public void newEpoch(long now) {
        // nothing is cached
    }

    @Override
    public void forgetMemory() {
        // nothing is cached
    }

    @Override
    public Walker walker() {
        return new Walker(NOTHING, NOTHING, code(), List.of(runtime));
    }

    @Override
    public Symbolizer symbolizer() {
        return new Symbolizer(code());
    }

    private static NativeCode code() {
        try {
            return NativeCode.of(new RecordedProcess(new ProcessSnapshot(X86_64.ARCHITECTURE)));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
