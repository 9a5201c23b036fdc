package com.example;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.ProfilerTestException;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import org.junit.jupiter.api.Test;

/** The profiler in a program that leaks threads. Needs an installed Mayfly, for example by MAYFLY_HOME. */
class ThreadLeaksTest {
    private static final Path JAR = Path.of("target/thread-leaks.jar");

    @Test
    void threadsOfForgottenPoolsAreOneGroupAndNothingRemainsAfterTheDetach() {
        try (TargetJvm jvm = TargetProgram.of(LeakingProgram.class)
                        .readyWhenPrinted("ready")
                        .start();
                AttachedProfiler profiler = jvm.attach(JAR)) {
            profiler.awaitEmission(" threads before");
            for (int request = 1; request <= 3; request++) {
                jvm.writeLine(Integer.toString(request));
                jvm.awaitOutput("served " + request);
            }
            String report = profiler.awaitAnswer("report", "3\tpool-#-thread-#\n");
            assertTrue(report.contains("\tat java.util.concurrent.LinkedBlockingQueue.take"), report);
            assertFalse(report.contains("parser"), report);
            profiler.detach();
            profiler.assertNothingLeft();
        }
    }

    @Test
    void unknownCommandIsRefused() {
        try (TargetJvm jvm = TargetProgram.of(LeakingProgram.class).start();
                AttachedProfiler profiler = jvm.attach(JAR)) {
            ProfilerTestException refusal = assertThrows(ProfilerTestException.class, () -> profiler.send("top"));
            assertTrue(refusal.getMessage().contains("the only command is: report"), refusal.getMessage());
        }
    }
}
