package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailableMemoryTest {
    private static final long MB = 1 << 20;

    @TempDir
    Path root;

    @BeforeEach
    void aMachineWithFourGigabytes() throws IOException {
        put("proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n");
        put("proc/self/limits", """
            Limit                     Soft Limit           Hard Limit           Units
            Max address space         unlimited            unlimited            bytes
            """);
        put("proc/self/status", "Name:\tjava\nVmSize:\t 2097152 kB\n");
    }

    private void put(String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text);
    }

    private AvailableMemory now() {
        return AvailableMemory.of(root, 96 * MB);
    }

    @Test
    void availableMemoryWithoutLimitsIsThatOfTheMachine() throws IOException {
        put("proc/self/cgroup", "0::/user.slice\n");
        put("sys/fs/cgroup/user.slice/memory.max", "max\n");
        assertThat(now()).isEqualTo(new AvailableMemory(4096 * MB, "the machine has no more"));
    }

    @Test
    void lowestControlGroupLimitMinusUnreclaimableUseCounts() throws IOException {
        put("proc/self/cgroup", "0::/pod/container\n");
        put("sys/fs/cgroup/pod/container/memory.max", 900 * MB + "\n");
        put("sys/fs/cgroup/pod/container/memory.current", 100 * MB + "\n");
        put("sys/fs/cgroup/pod/memory.max", 512 * MB + "\n");
        put("sys/fs/cgroup/pod/memory.current", 300 * MB + "\n");
        put("sys/fs/cgroup/pod/memory.stat", "anon 5\ninactive_file " + 50 * MB + "\n");
        assertThat(now()).isEqualTo(new AvailableMemory(262 * MB, "the control group may use no more"));
    }

    @Test
    void controlGroupVersion1LimitCounts() throws IOException {
        put("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n");
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", 256 * MB + "\n"); // the container's own group is mounted
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", 200 * MB + "\n");
        put("sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file " + 10 * MB + "\n");
        assertThat(now().bytes()).isEqualTo(66 * MB);
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(now().bytes()).isEqualTo(4096 * MB);
    }

    @Test
    void addressSpaceLimitCountsMinusTheParentsUse() throws IOException {
        put("proc/self/limits", "Max address space         3221225472           unlimited            bytes\n");
        assertThat(now()).isEqualTo(new AvailableMemory(1024 * MB + 96 * MB, "ulimit -v permits no more"));
    }

    @Test
    void unusableFilesImposeNoLimit() throws IOException {
        put("proc/self/cgroup", "nonsense\n0::/../../..\n");
        put("proc/meminfo", "MemAvailable: much\n");
        put("proc/self/limits", "Max address space\n");
        assertThat(now().bytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void memoryOfThisMachineIsPositive() {
        assertThat(AvailableMemory.now(96 * MB).bytes()).isPositive();
    }
}
