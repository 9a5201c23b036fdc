package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.discovery.ManagedThreadNames;
import mayfly.linux.LiveProcess;
import mayfly.process.TargetThread;
import mayfly.profile.Recording;
import mayfly.profile.SampledThread;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.RecordingEvent;
import org.junit.jupiter.api.Test;

/** Uses this process as the target. */
class ThreadNamesTest {
    private static final Recording RECORDING = new Recording(
            42, "java Main", "Main", List.of(), List.of(RecordingEvent.CPU.sampled(99)), "test", "6.12", 4, 0, 0);
    /** Above the kernel's largest pid. */
    private static final int GONE = 1 << 30;

    private interface Script {
        void run(ThreadNames names) throws Exception;
    }

    /** A runtime with these names. */
    private record Named(Map<Integer, String> names) implements ManagedThreadNames {
        @Override
        public Map<Integer, String> names(Collection<Integer> tids) {
            Map<Integer, String> found = new HashMap<>(names);
            found.keySet().retainAll(tids);
            return found;
        }

        @Override
        public String wholeName(String kernelsName) {
            return kernelsName.equals("VM Periodic Tas") ? "VM Periodic Task Thread" : kernelsName;
        }
    }

    private static List<SampledThread> written(LiveProcess process, Script script) throws Exception {
        return written(process, Map.of(), script);
    }

    private static List<SampledThread> written(LiveProcess process, Map<Integer, String> javaNames, Script script)
            throws Exception {
        ManagedThreadNames runtimes = new Named(javaNames);
        var bytes = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(bytes), RECORDING)) {
            script.run(new ThreadNames(ThreadNames.ListedThreads.of(process), writer, runtimes));
        }
        return CaptureReader.read(new ByteArrayInputStream(bytes.toByteArray())).threads();
    }

    private static LiveProcess self() throws Exception {
        return LiveProcess.open((int) ProcessHandle.current().pid());
    }

    @Test
    void liveThreadHasItsKernelName() throws Exception {
        try (LiveProcess process = self()) {
            TargetThread main = process.threads().getFirst();
            List<SampledThread> threads = written(process, names -> {
                int index = names.index(main.tid(), 5);
                assertThat(names.index(main.tid(), 6)).as("known").isEqualTo(index);
            });
            assertThat(threads)
                    .containsExactly(new SampledThread(
                            main.tid(), main.startTicks(), List.of(new SampledThread.Name(5, main.name()))));
        }
    }

    @Test
    void endedThreadHasItsAnnouncedName() throws Exception {
        try (LiveProcess process = self()) {
            List<SampledThread> threads = written(process, names -> {
                names.index(GONE, 1);
                names.renamed(GONE + 1, "worker", 2);
                names.index(GONE + 1, 3);
                names.renamed(GONE + 1, "worker-2", 4);
                names.born(GONE + 1, GONE + 2, 4);
                names.index(GONE + 2, 5);
            });
            assertThat(threads)
                    .extracting(SampledThread::name)
                    .containsExactly("[thread " + GONE + "]", "worker-2", "worker-2");
            assertThat(threads.get(1).names())
                    .containsExactly(new SampledThread.Name(3, "worker"), new SampledThread.Name(4, "worker-2"));
        }
    }

    @Test
    void nativeThreadThatAttachesLateGetsItsJavaName() throws Exception {
        try (LiveProcess process = self()) {
            int tid = process.threads().getFirst().tid();
            Map<Integer, String> java = new HashMap<>();
            List<SampledThread> threads = written(process, java, names -> {
                names.index(tid, 2);
                names.index(GONE, 2);
                long now = 2;
                for (; now < 60_000_000_000L; now += 250_000_000L) {
                    names.nameByRuntime(now, false);
                }
                java.put(tid, "attached-late-to-the-jvm");
                java.put(GONE, "of-a-thread-that-has-ended");
                names.nameByRuntime(now, false);
                for (long end = now + 5_000_000_000L; now <= end; now += 250_000_000L) {
                    names.nameByRuntime(now, false);
                }
            });
            assertThat(threads)
                    .extracting(SampledThread::name)
                    .containsExactly("attached-late-to-the-jvm", "[thread " + GONE + "]");
        }
    }

    /** A reused tid denotes another thread. */
    @Test
    void reusedTidIsANewThread() throws Exception {
        try (LiveProcess process = self()) {
            List<SampledThread> threads = written(process, names -> {
                names.renamed(GONE, "parent", 1);
                names.renamed(GONE + 1, "first", 1);
                int first = names.index(GONE + 1, 2);
                names.born(GONE, GONE + 1, 3);
                assertThat(names.index(GONE + 1, 3)).isNotEqualTo(first);
            });
            assertThat(threads).extracting(SampledThread::name).containsExactly("first", "parent");
        }
    }

    /** The record of the creation is in the ring of another CPU. */
    @Test
    void threadSampledBeforeItsForkRecordIsOneThread() throws Exception {
        try (LiveProcess process = self()) {
            List<SampledThread> threads = written(process, Map.of(GONE, "a-name-of-more-than-15-bytes"), names -> {
                int index = names.index(GONE, 5);
                names.born(GONE + 1, GONE, 4);
                assertThat(names.index(GONE, 6)).isEqualTo(index);
                names.nameByRuntime(7, true);
            });
            assertThat(threads).extracting(SampledThread::name).containsExactly("a-name-of-more-than-15-bytes");
        }
    }

    @Test
    void javaThreadHasItsJavaName() throws Exception {
        try (LiveProcess process = self()) {
            Map<Integer, String> java = new HashMap<>(Map.of(GONE, "main", GONE + 1, "a-name-of-more-than-15-bytes"));
            List<SampledThread> threads = written(process, java, names -> {
                names.renamed(GONE, "java", 1);
                names.renamed(GONE + 1, "a-name-of-more-", 1);
                names.renamed(GONE + 2, "VM Periodic Tas", 1);
                names.index(GONE, 2);
                names.index(GONE + 1, 2);
                names.index(GONE + 2, 2);
                names.nameByRuntime(3, false);
                names.renamed(GONE + 1, "a-name-of-more-", 4);
                names.nameByRuntime(5, false);
            });
            assertThat(threads)
                    .extracting(SampledThread::name)
                    .containsExactly("main", "a-name-of-more-than-15-bytes", "VM Periodic Task Thread");
            assertThat(threads.get(1).names())
                    .as("the kernel's name is a part of it")
                    .hasSize(2);
        }
    }

    @Test
    void javaThreadThatIsRenamedHasItsNewName() throws Exception {
        try (LiveProcess process = self()) {
            Map<Integer, String> java = new HashMap<>(Map.of(GONE, "first-name-of-a-pool"));
            List<SampledThread> threads = written(process, java, names -> {
                names.index(GONE, 2);
                names.nameByRuntime(3, false);
                java.put(GONE, "second-name-of-a-pool");
                names.nameByRuntime(4, true);
                names.renamed(GONE, "second-name-of-", 5);
                names.nameByRuntime(6, false);
            });
            assertThat(threads.getFirst().names())
                    .extracting(SampledThread.Name::name)
                    .containsExactly(
                            "[thread " + GONE + "]",
                            "first-name-of-a-pool",
                            "second-name-of-",
                            "second-name-of-a-pool");
        }
    }
}
