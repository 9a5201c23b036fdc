package com.example;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.ProfilerTestException;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import org.junit.jupiter.api.Test;

/** The profiler in a program that allocates. Needs an installed Mayfly, for example by MAYFLY_HOME. */
class AllocationSitesTest {
    private static final Path JAR = Path.of("target/allocation-sites.jar");

    private static AttachedProfiler attach(TargetJvm jvm) {
        return jvm.attach(JAR, request -> request.data("16384").acceptLastingCost());
    }

    @Test
    void siteThatAllocatesMostIsTheFirst() {
        try (TargetJvm jvm = TargetProgram.of(AllocatingProgram.class)
                        .readyWhenPrinted("ready")
                        .start();
                AttachedProfiler profiler = attach(jvm)) {
            jvm.writeLine("64");
            jvm.awaitOutput("allocated 64");
            String first =
                    profiler.awaitAnswer("top", "AllocatingProgram.allocate:").split("\n")[1];
            assertTrue(
                    first.matches("(5[5-9]|6\\d|7[0-3])\\.\\d MiB\t.*AllocatingProgram\\.allocate:\\d+\t\\[B"), first);
            profiler.detach();
            profiler.assertNothingLeft();
        }
    }

    @Test
    void unknownCommandIsRefused() {
        try (TargetJvm jvm = TargetProgram.of(AllocatingProgram.class).start();
                AttachedProfiler profiler = attach(jvm)) {
            ProfilerTestException refusal = assertThrows(ProfilerTestException.class, () -> profiler.send("sites"));
            assertTrue(refusal.getMessage().contains("the only command is: top"), refusal.getMessage());
        }
    }
}
