package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import org.junit.jupiter.api.Test;

/** The profiler in a program that loads a class. Needs an installed Mayfly, for example by MAYFLY_HOME. */
class ClassLoadsTest {
    private static final Path JAR = Path.of("target/class-loads.jar");

    @Test
    void classWithThePrefixIsCountedAndNothingRemainsAfterTheDetach() {
        try (TargetJvm jvm = TargetProgram.of(LoadingProgram.class)
                        .readyWhenPrinted("ready")
                        .start();
                AttachedProfiler profiler = jvm.attach(JAR, request -> request.data("com.example.LoadingProgram"))) {
            profiler.awaitEmission("loaded before: ");
            jvm.writeLine(LoadingProgram.Order.class.getName());
            jvm.awaitOutput("loaded class");
            assertEquals(1, profiler.awaitAnswer("top", "1\t").lines().count());
            profiler.detach();
            profiler.assertNothingLeft();
        }
    }
}
