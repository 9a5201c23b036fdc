package mayfly.corpus;

import java.io.IOException;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.corpus.python.CPythonLoader;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.process.TargetThread;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import org.jspecify.annotations.Nullable;

/** The kinds of runtimes whose walks are recorded. A recorded process has one runtime. */
enum RuntimeKind {
    HOTSPOT {
        @Override
        boolean isLibrary(String fileName) {
            return fileName.equals("libjvm.so");
        }

        @Override
        ManagedRuntime open(Architecture cpu, Memory memory, NativeModule library, ModuleSymbols symbols)
                throws UnsupportedVm {
            return HotSpot.open(ID, cpu, memory, symbols, library.start());
        }
    },
    CPYTHON {
        private final RuntimeLoader loader = new CPythonLoader();

        @Override
        boolean isLibrary(String fileName) {
            return loader.isLibrary(fileName);
        }

        @Override
        ManagedRuntime open(Architecture cpu, Memory memory, NativeModule library, ModuleSymbols symbols)
                throws IOException {
            List<Library> libraries = List.of(new Library(library, symbols));
            FoundRuntime found = loader.examine(cpu, memory, libraries, List.of(), new NoThreads())
                    .libraries()
                    .getFirst()
                    .open(ID);
            ManagedRuntime runtime = found.runtime();
            if (runtime == null) {
                throw new IOException(found.line() + ": " + found.problemText());
            }
            return runtime;
        }
    };

    private static final RuntimeId ID = new RuntimeId(1);

    /** Returns true if a file of this name is the library of a runtime of this kind. */
    abstract boolean isLibrary(String fileName);

    /**
     * Opens the runtime in a library.
     *
     * @throws IOException if the library contains no readable runtime
     */
    abstract ManagedRuntime open(Architecture cpu, Memory memory, NativeModule library, ModuleSymbols symbols)
            throws IOException, UnsupportedVm;

    /** Returns the library of a process's runtime. */
    static NativeModule library(NativeCode code) throws IOException {
        return code.modules().stream()
                .filter(module -> kind(module) != null)
                .findFirst()
                .orElseThrow(() -> new IOException("the process has no library of a runtime"));
    }

    /** Opens the runtime of a process. */
    static ManagedRuntime open(Memory memory, NativeCode code, ModuleSymbols symbols)
            throws IOException, UnsupportedVm {
        NativeModule library = library(code);
        RuntimeKind kind = kind(library);
        if (kind == null) {
            throw new IllegalStateException("the library has no kind");
        }
        return kind.open(code.architecture(), memory, library, symbols);
    }

    private static @Nullable RuntimeKind kind(NativeModule module) {
        for (RuntimeKind kind : values()) {
            if (kind.isLibrary(module.name())) {
                return kind;
            }
        }
        return null;
    }

    /** A library whose symbols are recorded. */
    private record Library(NativeModule module, ModuleSymbols symbols) implements RuntimeModule {
        @Override
        public String name() {
            return module.name();
        }

        @Override
        public String path() {
            return module.path();
        }

        @Override
        public long start() {
            return module.start();
        }

        @Override
        public @Nullable AddressRange functionAt(long address) {
            return module.functionAt(address);
        }

        @Override
        public String problem() {
            return module.problem();
        }
    }

    /** An empty list of threads, because a snapshot contains only the thread that is walked. */
    private static final class NoThreads implements KernelThreads {
        @Override
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public @Nullable TargetThread threadByInnermostTid(int tid) {
            return null;
        }

        @Override
        public long nowTicks() {
            return 0;
        }
    }
}
