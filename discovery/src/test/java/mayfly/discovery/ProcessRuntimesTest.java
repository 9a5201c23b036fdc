package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import mayfly.discovery.StubLoader.State;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessRuntimesTest {
    private static final String LIBRARY = "libstub.so";
    private static final long FIRST = 0x7000_0000L;
    private static final long SECOND = 0x7100_0000L;
    private static final long THIRD = 0x7200_0000L;
    private static final long OTHER = 0x5000_0000L;

    private static ScriptedProcess process() {
        return new ScriptedProcess()
                .map(0x40_0000L, "/bin/program")
                .map(FIRST, "/a/" + LIBRARY)
                .map(SECOND, "/b/" + LIBRARY)
                .map(THIRD, "/c/" + LIBRARY + " (deleted)");
    }

    private static ProcessRuntimes open(ScriptedProcess process, RuntimeLoader... loaders) throws IOException {
        ProcessRuntimes runtimes = ProcessRuntimes.of(process, List.of(loaders));
        runtimes.open(process);
        return runtimes;
    }

    @Test
    void librariesAreKnownWithoutOpeningARuntime() throws IOException {
        ProcessRuntimes runtimes = ProcessRuntimes.of(process(), List.of(new StubLoader(LIBRARY)));
        assertThat(runtimes.libraries()).extracting(module -> module.start()).containsExactly(FIRST, SECOND, THIRD);
        assertThat(runtimes.libraries().getLast().isDeleted()).isTrue();
        assertThat(runtimes.runtimes()).isEmpty();
    }

    @Test
    void runtimesAreOrderedByTheirIdsAndNotByTheirAddresses() throws IOException {
        ProcessRuntimes runtimes = open(
                process(), new StubLoader(LIBRARY).with(THIRD, State.STARTED).with(FIRST, State.STARTED));
        assertThat(runtimes.runtimes()).extracting(ManagedRuntime::libraryStart).containsExactly(THIRD, FIRST);
        assertThat(runtimes.present())
                .extracting(FoundRuntime::line)
                .containsExactly("r1 Stub 1.0 at 0x72000000", "r2 Stub 1.0 at 0x70000000");
    }

    @Test
    void unreadableRuntimeComesLastWithoutAnId() throws IOException {
        ProcessRuntimes runtimes = open(
                process(), new StubLoader(LIBRARY).with(FIRST, State.UNREADABLE).with(THIRD, State.STARTED));
        assertThat(runtimes.present())
                .extracting(FoundRuntime::line)
                .containsExactly("r1 Stub 1.0 at 0x72000000", "Stub at 0x70000000");
        assertThat(runtimes.present().getLast().problemText()).isEqualTo("it contradicts itself");
    }

    @Test
    void ifNoneWasStartedAllLibrariesAreListedWithTheirProblems() throws IOException {
        ProcessRuntimes runtimes = open(process(), new StubLoader(LIBRARY));
        assertThat(runtimes.present())
                .extracting(FoundRuntime::problemText)
                .containsOnly("no runtime was started in it")
                .hasSize(3);
    }

    @Test
    void runtimeKeepsItsObjectAndIdWhenAnotherOneStarts() throws IOException {
        StubLoader loader = new StubLoader(LIBRARY).with(SECOND, State.STARTED);
        ScriptedProcess process = process();
        ProcessRuntimes runtimes = open(process, loader);
        ManagedRuntime first = runtimes.runtimes().getFirst();
        assertThat(runtimes.open(process)).as("nothing new").isFalse();
        loader.with(FIRST, State.STARTED);
        assertThat(runtimes.open(process)).isTrue();
        assertThat(runtimes.runtimes())
                .extracting(ManagedRuntime::id)
                .containsExactly(new RuntimeId(1), new RuntimeId(2));
        assertThat(runtimes.runtimes().getFirst()).isSameAs(first);
    }

    @Test
    void runtimesOfSeveralKindsAreNumberedByTheirStarts() throws IOException {
        ScriptedProcess process = process().map(OTHER, "/lib/libother.so");
        ProcessRuntimes runtimes = open(
                process,
                new StubLoader(LIBRARY).with(FIRST, State.STARTED, 30).with(SECOND, State.STARTED, 10),
                new StubLoader("libother.so").with(OTHER, State.STARTED, 20));
        assertThat(runtimes.runtimes())
                .extracting(ManagedRuntime::line)
                .containsExactly("r1 Stub 1.0 at 0x71000000", "r2 Stub 1.0 at 0x50000000", "r3 Stub 1.0 at 0x70000000");
        assertThat(runtimes.inventory(runtimes.runtimes().getFirst())).isEmpty();
    }

    @Test
    void runtimesThatStartInTheSameTickAreNumberedByAddress() throws IOException {
        ScriptedProcess process = process().map(OTHER, "/lib/libother.so");
        ProcessRuntimes runtimes = open(
                process,
                new StubLoader(LIBRARY).with(FIRST, State.STARTED, 10),
                new StubLoader("libother.so").with(OTHER, State.STARTED, 10));
        assertThat(runtimes.runtimes()).extracting(ManagedRuntime::libraryStart).containsExactly(OTHER, FIRST);
    }

    /** The loader of the first kind is asked first, and its second runtime starts last. */
    @Test
    void runtimeOfAnotherKindKeepsItsIdWhenOneOfTheFirstKindStarts() throws IOException {
        ScriptedProcess process = process().map(OTHER, "/lib/libother.so");
        StubLoader first = new StubLoader(LIBRARY).with(FIRST, State.STARTED, 10);
        StubLoader second = new StubLoader("libother.so").with(OTHER, State.STARTED, 20);
        ProcessRuntimes runtimes = open(process, first, second);
        List<ManagedRuntime> before = runtimes.runtimes();
        first.with(SECOND, State.STARTED, 30);
        assertThat(runtimes.open(process)).isTrue();
        assertThat(runtimes.runtimes())
                .startsWith(before.toArray(ManagedRuntime[]::new))
                .extracting(ManagedRuntime::id)
                .containsExactly(new RuntimeId(1), new RuntimeId(2), new RuntimeId(3));
        assertThat(open(process, first, second).runtimes())
                .as("another reader")
                .extracting(ManagedRuntime::libraryStart)
                .containsExactly(FIRST, OTHER, SECOND);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/lib/ld-musl-x86_64.so.1",
                "/lib/libc.musl-x86_64.so.1",
                "/usr/lib/libc.so",
                "/lib/ld-musl-x86_64.so.1 (deleted)"
            })
    void runtimesOfAProcessWithMuslAreRefusedByTheNameOfTheLibrary(String musl) throws IOException {
        ScriptedProcess process = process().map(0x6000_0000L, musl);
        ProcessRuntimes runtimes = open(process, new StubLoader(LIBRARY).with(FIRST, State.STARTED));
        assertThat(runtimes.runtimes()).isEmpty();
        FoundRuntime found = runtimes.present().getFirst();
        assertThat(found.runtime()).isNull();
        assertThat(found.problem())
                .isEqualTo(new RuntimeProblem(
                        RuntimeProblem.Reason.OTHER_C_LIBRARY, "its C library is musl (" + musl + ")", "1.0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/lib/x86_64-linux-gnu/libc.so.6", "/opt/ld-linux-x86-64.so.2", "/app/libmusl.so"})
    void otherLibrariesDoNotCountAsMusl(String library) throws IOException {
        assertThat(open(process().map(0x6000_0000L, library), new StubLoader(LIBRARY))
                        .refusal())
                .isEmpty();
    }

    @Test
    void jvmWhoseFileIsDeletedIsFoundWithItsProblem() throws IOException {
        ScriptedProcess process = new ScriptedProcess().map(FIRST, "/jdk/lib/server/libjvm.so (deleted)");
        ProcessRuntimes runtimes = ProcessRuntimes.of(process);
        runtimes.open(process);
        FoundRuntime found = runtimes.present().getFirst();
        RuntimeProblem problem = found.problem();
        assertThat(problem).isNotNull();
        assertThat(found.line()).isEqualTo("HotSpot at 0x70000000");
        assertThat(found.problemText())
                .startsWith("the symbols of /jdk/lib/server/libjvm.so (deleted) cannot be read: no file");
    }
}
