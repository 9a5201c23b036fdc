package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import mayfly.client.Mayfly;
import org.junit.jupiter.api.Test;

/** A group of profilers in two JVMs. Needs an installed Mayfly, for example by MAYFLY_HOME. */
class PausesOfSeveralTest {
    private static final Path JAR = Path.of("target/pauses-of-several.jar");
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static TargetJvm start() {
        return TargetProgram.of(CollectingProgram.class)
                .readyWhenPrinted("ready")
                .start();
    }

    @Test
    void pausesOfEachJvmAreInOneStreamAndEachProfilerIsDetachedAtTheEnd() throws Exception {
        try (TargetJvm one = start();
                TargetJvm two = start()) {
            try (PausesOfSeveral group = new PausesOfSeveral(Mayfly.find(), JAR)) {
                group.add(one.pid());
                group.add(two.pid());
                one.writeLine("first");
                two.writeLine("second");
                one.awaitOutput("collected first");
                two.awaitOutput("collected second");
                Set<Long> seen = new HashSet<>();
                while (seen.size() < 2) {
                    PausesOfSeveral.Pause pause = group.next(LIMIT).orElseThrow();
                    assertTrue(pause.micros() >= 0 && !pause.reason().isEmpty(), pause.toString());
                    seen.add(pause.pid());
                }
                assertEquals(Set.of(one.pid(), two.pid()), seen);
            }
            try (AttachedProfiler alone = two.attach(JAR)) {
                alone.detach();
                alone.assertNothingLeft();
            }
        }
    }
}
