package mayfly.corpus.python;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.Examination;
import mayfly.runtime.ExaminedLibrary;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeProblem.Reason;
import mayfly.runtime.RuntimeStart;
import org.jspecify.annotations.Nullable;

/** Finds CPython in the Python executable or in libpython. */
public final class CPythonLoader implements RuntimeLoader {
    private static final Pattern LIBRARY = Pattern.compile("python3(\\.\\d+)?|libpython3\\.\\d+\\.so(\\.[0-9.]+)?");
    /** PY_VERSION_HEX, an exported constant since 3.11. */
    private static final String VERSION = "Py_Version";

    private static final String RUNTIME = "_PyRuntime";
    private static final String EVALUATOR = "_PyEval_EvalFrameDefault";

    @Override
    public boolean isLibrary(String fileName) {
        return LIBRARY.matcher(fileName).matches();
    }

    @Override
    public Examination examine(
            Architecture cpu,
            Memory memory,
            List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known,
            KernelThreads threads) {
        return new Examination(
                libraries.stream()
                        .map(library -> new Library(memory, library, known))
                        .toList(),
                List.of());
    }

    /** A recorded process does not have the start time of the interpreter's main thread; one interpreter runs in it. */
    private record Library(Memory memory, RuntimeModule module, List<ManagedRuntime> known) implements ExaminedLibrary {
        @Override
        public RuntimeStart start() {
            return new RuntimeStart(0, module.start());
        }

        @Override
        public FoundRuntime open(@Nullable RuntimeId id) {
            for (ManagedRuntime runtime : known) {
                if (runtime instanceof CPython && runtime.libraryStart() == module.start()) {
                    return new FoundRuntime(module, CPython.KIND, runtime, null, true);
                }
            }
            return CPythonLoader.open(memory, module, Objects.requireNonNull(id));
        }
    }

    private static FoundRuntime open(Memory memory, RuntimeModule library, RuntimeId id) {
        ModuleSymbols symbols = library.symbols();
        if (symbols == null) {
            return refused(library, Reason.NO_SYMBOLS, library.problem(), "");
        }
        String version = "";
        try {
            long runtime = symbols.address(RUNTIME);
            long constant = symbols.address(VERSION);
            if (runtime == 0 || constant == 0) {
                return refused(library, Reason.OTHER_RUNTIME, "it is not CPython 3.11 or later", "");
            }
            long number = memory.readLong(constant);
            version = (number >>> 24 & 0xff) + "." + (number >>> 16 & 0xff) + "." + (number >>> 8 & 0xff);
            Layout layout = Layout.of(number);
            AddressRange evaluator = library.functionAt(symbols.address(EVALUATOR));
            if (layout == null || evaluator == null) {
                return refused(
                        library,
                        Reason.INCONSISTENT,
                        layout == null ? "its structures are not known" : "its evaluator is not found",
                        version);
            }
            Interpreters interpreters = new Interpreters(memory, layout, runtime);
            if (!interpreters.hasStarted()) {
                return refused(library, Reason.STARTING, "no interpreter was started in it", version);
            }
            ObjectReader objects = new ObjectReader(
                    memory,
                    layout,
                    symbols.address("PyCode_Type"),
                    symbols.address("PyUnicode_Type"),
                    symbols.address("PyBytes_Type"));
            return new FoundRuntime(
                    library,
                    CPython.KIND,
                    new CPython(id, version, library, evaluator, interpreters, objects),
                    null,
                    true);
        } catch (MemoryFault e) {
            return refused(library, Reason.INCONSISTENT, e.getMessage(), version);
        }
    }

    private static FoundRuntime refused(
            RuntimeModule library, Reason reason, @Nullable String message, String version) {
        return new FoundRuntime(
                library,
                CPython.KIND,
                null,
                new RuntimeProblem(reason, String.valueOf(message), version),
                reason != Reason.STARTING);
    }
}
