package mayfly.hotspot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.KernelThreads;
import mayfly.process.TargetThread;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.Examination;
import mayfly.runtime.ExaminedLibrary;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeProblem.Reason;
import mayfly.runtime.RuntimeStart;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The starts of the JVMs of a process. An end-to-end test covers two running JVMs. */
class StartedVmsTest {
    /** The only thread of a forged VM. */
    private static final int TID = 4711;

    private static final long STARTED = 100_000;
    private static final Library NOT_A_VM = new Library(0x6f00_0000_0000L, new ModuleSymbols() {
        @Override
        public long address(String name) {
            return 0;
        }

        @Override
        public List<Named> objectsWithPrefix(String prefix) {
            return List.of();
        }
    });

    /** A libjvm; its symbols cannot be read if they are null. */
    private record Library(long start, @Nullable ModuleSymbols symbols) implements RuntimeModule {
        @Override
        public String name() {
            return "libjvm.so";
        }

        @Override
        public String path() {
            return "/jdk/lib/server/libjvm.so";
        }

        @Override
        public @Nullable AddressRange functionAt(long address) {
            return null;
        }

        @Override
        public String problem() {
            return symbols == null ? "no file" : "";
        }
    }

    /** The threads as reported by the kernel. */
    private record Threads(List<TargetThread> threads, long nowTicks) implements KernelThreads {
        @Override
        public @Nullable TargetThread threadByInnermostTid(int tid) {
            return threads.stream()
                    .filter(thread -> thread.tid() == tid)
                    .findFirst()
                    .orElse(null);
        }
    }

    private static Threads threads(TargetThread... threads) {
        return new Threads(List.of(threads), STARTED + 50);
    }

    private static TargetThread thread(int tid, String name, long startTicks) {
        return new TargetThread(tid, name, 'S', startTicks, 0, 0);
    }

    private static TargetThread first() {
        return thread(TID, "Reference Handl", STARTED);
    }

    /** Opens the libraries, numbered by their starts. */
    private static List<FoundRuntime> open(
            Architecture cpu, ForgedVm vm, List<Library> libraries, List<HotSpot> known, KernelThreads threads)
            throws IOException {
        Examination examined = StartedVms.examine(cpu, vm.memory, libraries, known, threads);
        List<RuntimeStart> starts = new ArrayList<>(examined.others());
        for (ExaminedLibrary library : examined.libraries()) {
            RuntimeStart start = library.start();
            if (start != null) {
                starts.add(start);
            }
        }
        List<FoundRuntime> opened = new ArrayList<>();
        for (ExaminedLibrary library : examined.libraries()) {
            RuntimeStart start = library.start();
            opened.add(library.open(
                    start == null
                            ? null
                            : new RuntimeId(1
                                    + Math.toIntExact(starts.stream()
                                            .filter(each -> each.compareTo(start) < 0)
                                            .count()))));
        }
        return opened;
    }

    private static List<FoundRuntime> open(int feature, KernelThreads threads, Library... others) throws IOException {
        ForgedVm vm = feature == 17 ? ForgedVm.jdk17() : ForgedVm.jdk25();
        vm.writeTables();
        List<Library> libraries = new ArrayList<>(List.of(others));
        libraries.add(new Library(ForgedVm.LIBRARY, vm));
        return open(X86_64.ARCHITECTURE, vm, libraries, List.of(), threads);
    }

    private static RuntimeId id(FoundRuntime opened) {
        ManagedRuntime vm = opened.runtime();
        assertThat(vm).as(opened.problemText()).isNotNull();
        return vm == null ? new RuntimeId(Integer.MAX_VALUE) : vm.id();
    }

    @Test
    void mappedLibjvmWithoutAJvmGetsNoId() throws IOException {
        for (int feature : List.of(17, 25)) {
            List<FoundRuntime> opened = open(feature, threads(first()), NOT_A_VM, new Library(0x6e00_0000_0000L, null));
            assertThat(opened.subList(0, 2)).noneMatch(FoundRuntime::mayHaveStarted);
            assertThat(id(opened.get(2))).isEqualTo(new RuntimeId(1));
        }
    }

    @Test
    void referenceHandlerIsFoundByItsShortenedNameOfJdk26() throws IOException {
        assertThat(id(open(25, threads(thread(TID, "Referen..andler", STARTED))).getFirst()))
                .isEqualTo(new RuntimeId(1));
    }

    /** The memory of the older JVM cannot be read, but its reference handler is visible. */
    @Test
    void unreadableOlderJvmTakesTheFirstId() throws IOException {
        List<FoundRuntime> opened = open(25, threads(first(), thread(3, "Reference Handl", STARTED - 1)), NOT_A_VM);
        assertThat(opened.getFirst().mayHaveStarted()).isTrue();
        assertThat(id(opened.get(1))).isEqualTo(new RuntimeId(2));
    }

    @Test
    void unreadableYoungerJvmLeavesIdsUnchanged() throws IOException {
        List<FoundRuntime> opened = open(25, threads(first(), thread(3, "Reference Handl", STARTED + 1)), NOT_A_VM);
        assertThat(opened.getFirst().mayHaveStarted()).isTrue();
        assertThat(id(opened.get(1))).isEqualTo(new RuntimeId(1));
    }

    /** A JVM with a lower address could still start within the same tick and would precede it. */
    @Test
    void jvmStartedInTheCurrentTickIsStillStarting() throws IOException {
        FoundRuntime opened = open(25, new Threads(List.of(first()), STARTED)).getFirst();
        assertThat(opened.problem()).extracting(RuntimeProblem::reason).isEqualTo(Reason.STARTING);
    }

    @Test
    void aJvmWithoutAReferenceHandlerIsStillStarting() throws IOException {
        FoundRuntime opened =
                open(25, threads(thread(TID, "main", STARTED - 1))).getFirst();
        assertThat(opened.problem()).extracting(RuntimeProblem::reason).isEqualTo(Reason.STARTING);
        assertThat(opened.mayHaveStarted()).isFalse();
    }

    /** The VM has freed the list and has another at the same address, which the reader cannot detect. */
    @Test
    void referenceHandlerMissedByOneReadIsFoundByTheNext() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        int[] readings = {0};
        KernelThreads threads = new KernelThreads() {
            @Override
            public List<TargetThread> threads() {
                return List.of(first());
            }

            @Override
            public @Nullable TargetThread threadByInnermostTid(int tid) {
                return readings[0]++ == 0 ? null : first();
            }

            @Override
            public long nowTicks() {
                return STARTED + 50;
            }
        };
        FoundRuntime opened = open(
                        X86_64.ARCHITECTURE, vm, List.of(new Library(ForgedVm.LIBRARY, vm)), List.of(), threads)
                .getFirst();
        assertThat(id(opened)).isEqualTo(new RuntimeId(1));
    }

    /** The JVM counts as started, so that the ids of other JVMs do not depend on whether its CPU is supported. */
    @Test
    void jvmOnAnotherCpuIsRefusedAndHasStarted() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        FoundRuntime opened = open(
                        StubCpu.ARCHITECTURE,
                        vm,
                        List.of(new Library(ForgedVm.LIBRARY, vm)),
                        List.of(),
                        threads(first()))
                .getFirst();
        assertThat(opened.problem()).extracting(RuntimeProblem::reason).isEqualTo(Reason.OTHER_CPU);
        assertThat(opened.mayHaveStarted()).isTrue();
    }

    @Test
    void knownJvmIsReturnedAsTheSameObject() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        HotSpot known = vm.open();
        List<FoundRuntime> opened = open(
                X86_64.ARCHITECTURE, vm, List.of(new Library(ForgedVm.LIBRARY, vm)), List.of(known), threads(first()));
        assertThat(opened.getFirst().runtime()).isSameAs(known);
    }
}
