package mayfly.e2e;

import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.binary.elf.ElfSymbols;
import mayfly.hotspot.HotSpot;
import mayfly.kit.Jvm;
import mayfly.linux.LiveProcess;
import mayfly.process.PagedMemory;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;

/** The runtime of a target, read from outside without an intermediate layer. */
final class OpenedVm implements AutoCloseable {
    private final LiveProcess process;
    private final PagedMemory memory;
    private final HotSpot vm;

    OpenedVm(Jvm jvm) throws Exception {
        process = LiveProcess.open((int) jvm.pid());
        memory = new PagedMemory(process.memory());
        NativeModule library = NativeCode.of(process).modules().stream()
                .filter(module -> module.name().equals("libjvm.so"))
                .findFirst()
                .orElseThrow();
        ElfSymbols symbols = library.symbols();
        vm = HotSpot.open(
                new RuntimeId(1),
                process.architecture(),
                memory,
                exportedOnly(symbols, library.bias()),
                library.start());
    }

    /** Returns the symbols that a stripped libjvm has too. */
    private static ModuleSymbols exportedOnly(ElfSymbols symbols, long bias) {
        return new ModuleSymbols() {
            @Override
            public long address(String name) {
                return name.startsWith("gHotSpot") ? symbols.addressOf(name).orElse(-bias) + bias : 0;
            }

            @Override
            public java.util.List<Named> objectsWithPrefix(String prefix) {
                return java.util.List.of();
            }
        };
    }

    HotSpot vm() {
        return vm;
    }

    /** Returns the current information about each thread, by the kernel's thread id. */
    Map<Integer, ManagedThreadInfo> infos() throws Exception {
        memory.forget();
        vm.newEpoch(System.nanoTime());
        Map<Integer, ManagedThreadInfo> infos = new LinkedHashMap<>();
        for (ManagedThread thread : vm.threads()) {
            infos.put(thread.tid(), vm.info(thread));
        }
        return infos;
    }

    @Override
    public void close() {
        process.close();
    }
}
