package mayfly.hotspot.threads;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VmThreadsTest {

    @Test
    void vmThreadNameTruncatedByTheKernelIsCompleted() {
        assertThat(VmThreads.wholeName("VM Periodic Tas")).isEqualTo("VM Periodic Task Thread");
        assertThat(VmThreads.wholeName("JFR Thread Samp")).isEqualTo("JFR Thread Sampler");
    }

    @Test
    void vmThreadNameShortenedByJdk26IsCompleted() {
        assertThat(VmThreads.wholeName("VM Peri..Thread")).isEqualTo("VM Periodic Task Thread");
        assertThat(VmThreads.wholeName("G1 Refi..ontrol")).isEqualTo("G1 Refine Control");
        assertThat(VmThreads.wholeName("Shenand..eads#3")).isEqualTo("Shenandoah GC Threads#3");
        assertThat(VmThreads.wholeName("my-pool..eads#3")).isEqualTo("my-pool..eads#3");
    }

    @Test
    void nameOfAnotherThreadIsUnchanged() {
        assertThat(VmThreads.wholeName("GC Thread#0")).isEqualTo("GC Thread#0");
        assertThat(VmThreads.wholeName("VM Periodic")).isEqualTo("VM Periodic");
        assertThat(VmThreads.wholeName("")).isEmpty();
    }

    /**
     * A row whose name the kernel does not truncate would be useless, and so would two rows whose names are truncated
     * to the same name.
     */
    @Test
    void vmThreadNamesDifferInTheirFirst15Bytes() {
        assertThat(VmThreads.NAMES).allMatch(name -> name.length() > 15);
        assertThat(VmThreads.NAMES.stream().map(name -> name.substring(0, 15))).doesNotHaveDuplicates();
    }
}
