package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The stops of a target's threads, counted in kernel calls: a count does not depend on the load of the machine. */
class ThreadStopsTest {
    /** A stop copies a stack in pieces of 64 KiB, and at most 2 MiB of it. */
    private static final int MOST_PIECES = 2 * 1024 / 64;
    /** A piece that ends at an unreadable page is copied page by page. */
    private static final int PAGES_OF_A_PIECE = 64 / 4;

    /**
     * The calls that may happen while a thread is stopped: those that copy and release it, and those of Mayfly's own
     * JVM for memory and for its safepoints.
     */
    private static final Set<String> WHILE_STOPPED = Set.of(
            "ptrace",
            "process_vm_readv",
            "ppoll",
            "sched_yield",
            "futex",
            "mmap",
            "munmap",
            "mprotect",
            "madvise",
            "rt_sigprocmask",
            "rt_sigreturn");

    /** The further calls that may happen while other threads are still to be stopped: those that read /proc. */
    private static final Set<String> WHILE_STOPPING = Set.of(
            "waitid", "openat", "newfstatat", "fstat", "lseek", "read", "pread64", "readlink", "getdents64", "close");

    private static final String SAMPLE_BY_PTRACE = "record --collector ptrace -F 99 -d 500ms -o out.collapsed";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Arguments> separateStops(TestInfo test) {
        return Scale.jdks(test, List.of("stack", "stack --every 50ms -d 500ms -o out.collapsed", SAMPLE_BY_PTRACE));
    }

    static List<Arguments> shortStops(TestInfo test) {
        return Scale.jdks(test, List.of("stack", SAMPLE_BY_PTRACE));
    }

    static List<Arguments> allStops(TestInfo test) {
        return Scale.jdks(test, List.of("stack", "stack --together", SAMPLE_BY_PTRACE));
    }

    private TracedStops stops(String command, Jvm jvm) throws Exception {
        return TracedStops.of(
                folder,
                Stream.concat(Stream.of(command.split(" ")), Stream.of(Long.toString(jvm.pid())))
                        .toArray(String[]::new));
    }

    @Requirement("T-02")
    @ParameterizedTest
    @MethodSource("separateStops")
    void oneThreadStopsAndReadsTheTargetsThreadsOneAfterTheOther(String command, Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("3").on(jdk).start()) {
            TracedStops stops = stops(command, jvm);
            assertThat(stops.tracers()).hasSize(1);
            assertThat(stops.mostAtATime()).isEqualTo(1);
            assertThat(stops.readers()).isEqualTo(stops.tracers());
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void threadsThatAreStoppedTogetherAreCountedTogether(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("3").on(jdk).start()) {
            assertThat(stops("stack --together", jvm).mostAtATime()).isGreaterThan(3);
        }
    }

    /**
     * Most reads are of data about the code on the stack. On a busy machine a thread may stop too late: it is then
     * released without a copy.
     */
    @Requirement("S-07")
    @ParameterizedTest
    @MethodSource("shortStops")
    void stopCoversOneCopyOfTheRegistersAndOfTheStack(String command, Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("3").on(jdk).start()) {
            TracedStops stops = stops(command, jvm);
            assertThat(stops.stops()).allSatisfy(stop -> {
                List<String> calls = TracedStops.Stop.names(stop.afterItsReport());
                assertThat(calls).filteredOn("ptrace"::equals).hasSizeLessThanOrEqualTo(1);
                assertThat(calls).filteredOn("process_vm_readv"::equals).hasSizeLessThanOrEqualTo(PAGES_OF_A_PIECE + 2);
            });
            assertThat(stops.stops())
                    .flatExtracting(TracedStops.Stop::afterItsReport)
                    .anyMatch(call -> call.startsWith("ptrace(PTRACE_GETREGSET"))
                    .anyMatch(call -> call.startsWith("process_vm_readv("));
            assertThat(readsDuring(stops)).isLessThan(stops.reads() / 2);
        }
    }

    @Requirement("S-07")
    @ParameterizedTest
    @MethodSource("jdks")
    void stopForADeepStackCopiesAtMostTwoMebibytes(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("DeepStack").args("8").on(jdk).start()) {
            TracedStops stops = stops("stack -t deep", jvm);
            assertThat(stops.stops())
                    .hasSizeBetween(1, 2)
                    .allSatisfy(stop -> assertThat(stop.afterItsReport())
                            .filteredOn(call -> call.startsWith("process_vm_readv("))
                            .hasSizeLessThanOrEqualTo(MOST_PIECES + PAGES_OF_A_PIECE));
            assertThat(stops.reads()).isGreaterThan(readsDuring(stops) + MOST_PIECES);
        }
    }

    private static long readsDuring(TracedStops stops) {
        return stops.stops().stream()
                .flatMap(stop -> stop.calls().stream())
                .filter(call -> call.startsWith("process_vm_readv("))
                .count();
    }

    /**
     * A lock that a thread of another process can own is a lock of the kernel, of a file, or in shared memory. No call
     * takes or awaits one of these while a thread is stopped. A read of /proc may take locks of the kernel, which a
     * stopped thread does not own: it stops only on its way out of the kernel.
     */
    @Requirement("T-09")
    @ParameterizedTest
    @MethodSource("allStops")
    void noLockThatTheTargetCanOwnIsTakenDuringAStop(String command, Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("3").on(jdk).start()) {
            boolean isTogether = command.contains("together");
            assertThat(stops(command, jvm).stops())
                    .flatExtracting(stop -> isTogether ? stop.calls() : stop.afterItsReport())
                    .isNotEmpty()
                    .allMatch(call -> takesNoLockOfAnother(call, isTogether));
        }
    }

    private static boolean takesNoLockOfAnother(String call, boolean isTogether) {
        String name = call.substring(0, call.indexOf('('));
        boolean isKnown = WHILE_STOPPED.contains(name) || isTogether && WHILE_STOPPING.contains(name);
        return isKnown
                && switch (name) {
                    case "futex" -> call.contains("_PRIVATE");
                    case "mmap" -> call.contains("MAP_ANONYMOUS");
                    case "openat", "readlink" -> call.contains("\"/proc/");
                    default -> true;
                };
    }
}
