package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReservedPackagesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.lang.Object",
                "java.util.Map$Entry",
                "java.util.concurrent.ConcurrentHashMap",
                "java.util.concurrent.atomic.AtomicLong",
                "java.time.zone.ZoneRulesProvider",
                "java.lang.ref.Reference",
                "jdk.internal.misc.Unsafe",
                "sun.nio.ch.Net",
                "mayfly.host.Host",
                "mayfly.api.Profiler",
            })
    void classesThatAProbeUsesAreReserved(String name) {
        assertThat(ReservedPackages.contains(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.zip.Inflater",
                "java.lang.reflect.Method",
                "java.io.File",
                "java.time.Instant",
                "sunny.Day",
                "jdk.internals.C",
                "com.example.java.lang.C",
                "Main",
                "mayfly.targets.Loop",
            })
    void otherClassesAreNot(String name) {
        assertThat(ReservedPackages.contains(name)).isFalse();
    }
}
