package mayfly.stack;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.RuntimeThreads;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.process.TargetThread;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.Walker;

/** A live process whose threads are walked. */
final class LiveWalkedProcess implements WalkedProcess {
    private final InspectedProcess process;
    private final RuntimeThreads threads;

    /**
     * @param process the process; closed with this object
     * @throws IOException if its status cannot be read
     */
    LiveWalkedProcess(InspectedProcess process) throws IOException {
        this.process = process;
        this.threads = new RuntimeThreads(process);
    }

    @Override
    public int pid() {
        return process.process().pid();
    }

    @Override
    public Architecture architecture() {
        return process.process().architecture();
    }

    @Override
    public boolean isAlive() {
        return process.process().life().isAlive();
    }

    @Override
    public boolean awaitExit(int millis) {
        return process.process().life().awaitExit(millis);
    }

    @Override
    public boolean isReplaced() {
        return process.isReplaced();
    }

    @Override
    public boolean isLibraryGone() {
        try {
            return process.isLibraryGone();
        } catch (IOException e) {
            return true; // the process has ended, is calling execve(2), or has become a program that may not be read
        }
    }

    @Override
    public String mainClass() {
        return process.commandLine().mainClass();
    }

    @Override
    public List<ManagedRuntime> runtimes() {
        return process.runtimes();
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        return process.process().threads();
    }

    @Override
    public Map<Integer, RuntimeThread> managedThreads() {
        return threads.all();
    }

    @Override
    public int innerTid(int tid) {
        return threads.innerTid(tid);
    }

    @Override
    public String wholeName(String kernelsName) {
        return threads.wholeName(kernelsName);
    }

    @Override
    public long cpuNanos(int tid) {
        return process.process().threadFacts().cpuNanos(tid);
    }

    @Override
    public void newEpoch(long now) {
        process.newEpoch(now);
    }

    @Override
    public void forgetMemory() {
        process.forgetMemory();
    }

    @Override
    public Walker walker() {
        return process.walker();
    }

    @Override
    public Symbolizer symbolizer() {
        return new Symbolizer(process.code());
    }

    @Override
    public void close() {
        process.close();
    }
}
