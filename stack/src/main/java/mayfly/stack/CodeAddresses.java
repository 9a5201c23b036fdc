package mayfly.stack;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.NativeModule;
import mayfly.unwind.Symbolizer;

/**
 * The code at addresses of one process. Each runtime is asked for each address, and at most one knows it, because the
 * memory for generated code of two runtimes never overlaps.
 *
 * @param pid the process
 * @param mainClass its main class or jar, empty if unknown; untrusted
 * @param runtimes its runtimes, one line each; untrusted
 * @param code the code at each address, in the order of the addresses
 */
public record CodeAddresses(int pid, String mainClass, List<String> runtimes, List<Code> code) {

    /** Upper bound on the addresses of one request. */
    public static final int MAX_ADDRESSES = 1024;

    /**
     * The code at one address.
     *
     * @param address the address
     * @param frames a method and those inlined at that instruction, innermost first; a stub; or a native function.
     *     Empty if no code is known there
     */
    public record Code(long address, List<Frame> frames) {
        public Code {
            frames = List.copyOf(frames);
        }
    }

    public CodeAddresses {
        runtimes = List.copyOf(runtimes);
        code = List.copyOf(code);
    }

    /**
     * Finds the code at addresses of a running process. No thread is stopped.
     *
     * @param addresses at most {@link #MAX_ADDRESSES}
     * @param only the runtime to ask; if it is empty, all runtimes are asked, and then the files of the process
     * @throws Refused if there is no such process, it may not be read, it has no runtime that can be read and has
     *         started, the choice of the runtime fits none or several, or the process has ended or been replaced
     *         meanwhile
     */
    public static CodeAddresses of(int pid, List<Long> addresses, Optional<RuntimeId.Choice> only) throws Refused {
        if (addresses.size() > MAX_ADDRESSES) {
            throw new IllegalArgumentException(addresses.size() + " addresses, at most " + MAX_ADDRESSES);
        }
        try (InspectedProcess process = InspectedProcess.open(pid)) {
            process.awaitStart();
            process.requireRuntime();
            process.newEpoch(System.nanoTime());
            List<ManagedRuntime> asked = only.isEmpty()
                    ? process.runtimes()
                    : List.of(RuntimeChoices.chosen(pid, process.runtimes(), only.get()));
            Symbolizer symbolizer = new Symbolizer(process.code());
            List<Code> found = new ArrayList<>();
            for (long address : addresses) {
                List<Frame> frames = managed(asked, address);
                found.add(new Code(
                        address, frames.isEmpty() && only.isEmpty() ? inFiles(process, symbolizer, address) : frames));
            }
            boolean isEnded = process.isEnded();
            if (isEnded || process.isReplaced()) {
                throw ThreadWalks.lost(pid, !isEnded);
            }
            return new CodeAddresses(
                    pid,
                    process.commandLine().mainClass(),
                    process.runtimes().stream().map(ManagedRuntime::line).toList(),
                    found);
        }
    }

    private static List<Frame> managed(List<ManagedRuntime> runtimes, long address) {
        for (ManagedRuntime runtime : runtimes) {
            List<Frame> frames = runtime.codeAt(address);
            if (!frames.isEmpty()) {
                return frames;
            }
        }
        return List.of();
    }

    private static List<Frame> inFiles(InspectedProcess process, Symbolizer symbolizer, long address) {
        NativeModule module = process.code().moduleAt(address);
        if (module == null) {
            return List.of();
        }
        boolean isVm =
                process.runtimes().stream().anyMatch(runtime -> runtime.isLibrary(module.path(), module.start()));
        return List.of(symbolizer.named(new Frame.Native(module.library(), module.vaddr(address), "", isVm)));
    }
}
