package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.ProfilerTestException;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import mayfly.client.AttachRequest;
import org.junit.jupiter.api.Test;

/** The profiler in a program that retains the loaders of its plug-ins. Needs an installed Mayfly. */
class LoaderLeaksTest {
    private static final Path JAR = Path.of("target/loader-leaks.jar");
    private static final String PLUGIN = "com.example.LeakingLoaders$Plugin";

    @Test
    void retainedLoaderHasThePathFromTheStaticField() {
        try (TargetJvm jvm = TargetProgram.of(LeakingLoaders.class)
                        .readyWhenPrinted("ready")
                        .start();
                AttachedProfiler profiler = jvm.attach(JAR, AttachRequest::acceptLastingCost)) {
            jvm.writeLine("one");
            jvm.awaitOutput("done one");
            String leaks = profiler.send("leaks " + PLUGIN);
            assertTrue(leaks.contains("such classes, among them " + PLUGIN), leaks);
            assertTrue(leaks.contains("    STATIC_FIELD PLUGINS -> java.util.HashMap\n"), leaks);
            jvm.writeLine("end");
            jvm.awaitOutput("done end");
            assertEquals(
                    "no loader has such classes",
                    profiler.send("leaks " + PLUGIN).strip());
            profiler.detach();
            profiler.assertNothingLeft();
        }
    }

    @Test
    void unknownCommandIsRefused() {
        try (TargetJvm jvm = TargetProgram.of(LeakingLoaders.class).start();
                AttachedProfiler profiler = jvm.attach(JAR, AttachRequest::acceptLastingCost)) {
            ProfilerTestException refusal = assertThrows(ProfilerTestException.class, () -> profiler.send("top"));
            assertTrue(refusal.getMessage().contains("the command is: leaks PREFIX"), refusal.getMessage());
        }
    }
}
