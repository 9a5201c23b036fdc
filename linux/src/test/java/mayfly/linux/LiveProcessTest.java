package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import mayfly.linux.proc.Permissions;
import mayfly.linux.sys.ErrnoException;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveProcessTest {
    private static final int MAX_TRIES = 500;
    private static final int KILLS = 200;

    private static long address(String line, int word) {
        return Long.parseUnsignedLong(line.split(" ")[word].substring(2), 16);
    }

    @Test
    @Tag("privileged")
    void memoryIsReadCompletelyOrNotAtAll() throws Exception {
        try (CProgram program = CProgram.start("target", "-");
                LiveProcess p = LiveProcess.open(program.pid())) {
            long pattern = address(program.line(), 0);
            byte[] bytes = new byte[8];
            p.memory().read(pattern + 8, bytes, 0, 8);
            assertThat(p.memory().readLong(pattern)).isEqualTo(0x0123456789abcdefL);
            assertThat(p.memory().readInt(pattern)).isEqualTo(0x89abcdef);
            assertThat(p.memory().readShort(pattern)).isEqualTo(0xcdef);
            assertThat(p.memory().readByte(pattern)).isEqualTo(0xef);
            assertThat(MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                    .isEqualTo(0x0123456789abcdefL * 2);
            byte[] all = new byte[32768];
            p.memory().read(pattern, all, 0, all.length);
            assertThat(MemorySegment.ofArray(all).get(ValueLayout.JAVA_LONG_UNALIGNED, 4095 * 8))
                    .isEqualTo(0x0123456789abcdefL * 4096);
            Mapping stack = p.mappings().stream()
                    .filter(m -> m.path().equals("[stack]"))
                    .findFirst()
                    .orElseThrow();
            assertThatThrownBy(() -> p.memory().readLong(stack.end() - 4)).isInstanceOf(MemoryFault.class);
            assertThatThrownBy(() -> p.memory().readByte(0)).isInstanceOf(MemoryFault.class);
            assertThatThrownBy(() -> p.memory().readLong(-8)).isInstanceOf(MemoryFault.class);
        }
    }

    @Test
    @Tag("privileged")
    void threadsAreListedWithTheirNames() throws Exception {
        try (CProgram program = CProgram.start("target", "bb");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assertThat(p.threads()).hasSize(2).extracting(TargetThread::name).contains("odd) name (");
            assertThat(p.threadFacts().cpuNanos(program.pid())).isPositive();
            assertThat(p.facts().commandLine()).endsWith("bb");
            assertThat(p.facts().executable()).endsWith("/target");
            assertThat(p.status().namespacePids()).contains(program.pid());
            assertThat(p.facts().isTraced()).isFalse();
        }
    }

    @Test
    void endedOrLaterThreadIsNotStillRunning() throws Exception {
        long pid = ProcessHandle.current().pid();
        try (LiveProcess self = LiveProcess.open((int) pid)) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            Set<Integer> before = Arrays.stream(self.tids()).boxed().collect(Collectors.toSet());
            Thread thread = new Thread(
                    () -> {
                        try {
                            mayEnd.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "to-be-ended");
            thread.start();
            OptionalInt found = OptionalInt.empty();
            while (found.isEmpty()) {
                found = Arrays.stream(self.tids())
                        .filter(each -> !before.contains(each) && isNamed(self, each))
                        .findFirst();
            }
            int tid = found.getAsInt();
            assertThat(self.threadFacts().isStillRunning(tid, System.nanoTime()))
                    .isTrue();
            assertThat(self.threadFacts().isStillRunning(tid, System.nanoTime() - 3_600_000_000_000L))
                    .as("an earlier one")
                    .isFalse();
            mayEnd.countDown();
            thread.join();
            while (self.thread(tid) != null) {
                Thread.onSpinWait();
            }
            assertThat(self.threadFacts().isStillRunning(tid, System.nanoTime()))
                    .isFalse();
        }
    }

    @Test
    @Tag("privileged")
    void exitingProcessIsReportedAsEndedAndNotAsNotPermitted() throws Exception {
        String burning = CProgram.build("target").toString();
        Set<ProcessUnavailable.Reason> seen = EnumSet.noneOf(ProcessUnavailable.Reason.class);
        for (int i = 0; i < KILLS; i++) {
            Process process = new ProcessBuilder(burning, "bbbbbbbb").start();
            process.inputReader().readLine();
            int pid = (int) process.pid();
            process.toHandle().destroyForcibly();
            ProcessUnavailable.@Nullable Reason reason = null;
            while (reason != ProcessUnavailable.Reason.NOT_FOUND) {
                try (LiveProcess _ = LiveProcess.open(pid)) {
                    Thread.onSpinWait();
                } catch (ProcessUnavailable e) {
                    reason = e.reason();
                    seen.add(reason);
                }
            }
        }
        assertThat(seen)
                .isSubsetOf(
                        ProcessUnavailable.Reason.NOT_FOUND,
                        ProcessUnavailable.Reason.ZOMBIE,
                        ProcessUnavailable.Reason.FIRST_THREAD_ENDED);
    }

    /** The same state exists during an execve(2) by another thread, until all other threads have ended. */
    @Test
    @Tag("privileged")
    void processWhoseFirstThreadHasEndedIsRefusedWithThatReason() throws Exception {
        try (CProgram program = CProgram.start("target", "bz");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assertThat(p.mappings()).isNotEmpty();
            program.send();
            while (!Files.readString(Path.of("/proc/" + program.pid() + "/stat"))
                    .contains(") Z ")) {
                Thread.onSpinWait();
            }
            assertThatThrownBy(p::mappings).isInstanceOf(MemoryGone.class);
            assertThatThrownBy(() -> LiveProcess.open(program.pid()))
                    .isInstanceOf(ProcessUnavailable.class)
                    .hasMessageContaining("the first thread of process " + program.pid() + " has ended");
        }
    }

    @Test
    @Tag("privileged")
    void exitingProcessIsEndingAndAStoppedOneIsNot() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            assertThat(p.life().isEnding(0)).isFalse();
            signal("STOP", program.pid());
            assertThat(p.life().isEnding(0)).isFalse();
            signal("KILL", program.pid());
            while (!p.life().isEnding(0)) {
                Thread.onSpinWait();
            }
            assertThat(p.life().isEnding(10_000) && p.life().awaitExit(10_000)).isTrue();
        }
    }

    private static void signal(String name, int pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Integer.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static boolean isNamed(LiveProcess process, int tid) {
        try {
            TargetThread thread = process.thread(tid);
            return thread != null && thread.name().equals("to-be-ended");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @Tag("privileged")
    void mappedFileIsReadAfterUnlinkAndNeverItsReplacement() throws Exception {
        Path original = CProgram.build("target");
        Path copy = Files.copy(
                original,
                original.resolveSibling("target-" + ProcessHandle.current().pid()),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.COPY_ATTRIBUTES);
        Process process = new ProcessBuilder(copy.toString(), "-").start();
        try (LiveProcess p = LiveProcess.open((int) process.pid())) {
            process.inputReader().readLine();
            Mapping text = text(p);
            byte[] expected = Files.readAllBytes(original);
            assertThat(p.file(text).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
            Files.delete(copy);
            Files.writeString(copy, "an impostor");
            try (LiveProcess again = LiveProcess.open((int) process.pid())) {
                Mapping deleted = text(again);
                assertThat(deleted.isDeleted()).isTrue();
                if (Permissions.read().has(Permissions.Capability.CHECKPOINT_RESTORE)) {
                    assertThat(again.file(deleted).toArray(ValueLayout.JAVA_BYTE))
                            .isEqualTo(expected);
                } else {
                    assertThatThrownBy(() -> again.file(deleted)).isInstanceOf(IOException.class);
                }
                Mapping lie = new Mapping(
                        deleted.start() + 1,
                        deleted.end(),
                        true,
                        false,
                        true,
                        0,
                        deleted.device(),
                        deleted.inode(),
                        copy.toString());
                assertThatThrownBy(() -> again.file(lie)).hasMessageContaining("not the one that is mapped");
            }
        } finally {
            process.destroyForcibly().waitFor();
            Files.deleteIfExists(copy);
        }
    }

    /** Works after the process has exited, too; only regular files are opened. */
    @Test
    @Tag("privileged")
    void filesAreReadByTheirPathInTheProcess(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "bytes");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        Path empty = Files.createFile(directory.resolve("empty"));
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.kill();
            for (Path path : List.of(file, link)) {
                assertThat(p.fileAt(path.toString()).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(Files.readAllBytes(file));
            }
            for (String path : List.of(
                    directory.toString(), empty.toString(), "/dev/null", directory + "/none", "/proc/self/exe")) {
                assertThatThrownBy(() -> p.fileAt(path))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(path);
            }
        }
    }

    private static Mapping text(LiveProcess p) throws IOException {
        return p.mappings().stream()
                .filter(m -> m.executable() && m.path().contains("/target-"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("privileged")
    void processThatCannotBeOpenedIsRefusedWithAReason() throws Exception {
        assertThat(reason(0)).isEqualTo(ProcessUnavailable.Reason.NOT_FOUND);
        assertThat(reason(Integer.MAX_VALUE)).isEqualTo(ProcessUnavailable.Reason.NOT_FOUND);
        try (CProgram program = CProgram.start("target", "b")) {
            program.line();
            try (LiveProcess p = LiveProcess.open(program.pid())) {
                for (int tid : p.tids()) {
                    if (tid != p.pid()) {
                        assertThat(reason(tid)).isEqualTo(ProcessUnavailable.Reason.NOT_A_PROCESS);
                    }
                }
            }
        }
    }

    private static ProcessUnavailable.Reason reason(int pid) {
        try (LiveProcess p = LiveProcess.open(pid)) {
            throw new AssertionError("opened " + p.pid());
        } catch (ProcessUnavailable e) {
            return e.reason();
        }
    }

    @Test
    @Tag("privileged")
    void exitedProcessIsNotAlive() throws Exception {
        try (CProgram program = CProgram.start("target", "-");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assertThat(p.life().isAlive()).isTrue();
            program.kill();
            assertThat(p.life().isAlive()).isFalse();
            assertThat(p.threads()).isEmpty();
            assertThatThrownBy(() -> p.memory().readLong(0x400000)).isInstanceOf(MemoryFault.class);
        }
    }

    /** The id has been reused by another process: a signal to the first one must not reach any process. */
    @Test
    @Tag("privileged")
    void signalDoesNotReachAProcessThatReusesTheId() throws Exception {
        Process first = new ProcessBuilder("sleep", "1000").start();
        try (LiveProcess p = LiveProcess.open((int) first.pid())) {
            first.destroyForcibly().waitFor();
            assertThatThrownBy(() -> p.signal(9))
                    .isInstanceOf(ErrnoException.class)
                    .hasMessageContaining("ESRCH");
            Process second = startAs(first.pid());
            try {
                assertThatThrownBy(() -> p.signal(9))
                        .isInstanceOf(ErrnoException.class)
                        .hasMessageContaining("ESRCH");
                assertThat(p.life().isAlive()).isFalse();
                assertThatThrownBy(p::status).isInstanceOf(NoSuchFileException.class);
                assertThat(second.isAlive()).isTrue();
            } finally {
                second.destroyForcibly().waitFor();
            }
        }
    }

    /** Starts a process with this id, which the kernel assigns next unless another process starts in between. */
    private static Process startAs(long pid) throws Exception {
        Path last = Path.of("/proc/sys/kernel/ns_last_pid");
        assumeTrue(Files.isWritable(last), "needs root: to choose the id of the next process");
        for (int i = 0; i < MAX_TRIES; i++) {
            Files.writeString(last, Long.toString(pid - 1));
            Process process = new ProcessBuilder("sleep", "1000").start();
            if (process.pid() == pid) {
                return process;
            }
            process.destroyForcibly().waitFor();
        }
        return abort("others took the id each time");
    }

    @Test
    void nanoTimeDoesNotDecrease() {
        long before = System.nanoTime();
        long now = System.nanoTime();
        assertThat(now).isBetween(before, System.nanoTime());
    }
}
