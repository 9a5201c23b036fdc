package mayfly.api.testing;

import java.nio.file.Path;
import java.time.Duration;

/** The examples of docs/test-kit.md. */
final class Examples {
    private Examples() {}

    private static final class Shop {}

    static void test() {
        try (TargetJvm jvm =
                        TargetProgram.of(Shop.class).readyWhenPrinted("ready").start();
                AttachedProfiler profiler = jvm.attach(Path.of("target/my-profiler.jar"))) {
            profiler.awaitAnswer("top", "com.example.Shop");
            profiler.detach();
            profiler.assertNothingLeft();
        }
    }

    static TargetProgram program() {
        TargetProgram program = TargetProgram.of("com.example.Shop", Path.of("shop.jar"), Path.of("lib/db.jar"))
                .javaHome(Path.of("/usr/lib/jvm/temurin-17-jdk-amd64"))
                .options("-Xmx64m", "-XX:+UseZGC")
                .arguments("--port", "0")
                .readyWhenPrinted("listening")
                .timeLimit(Duration.ofMinutes(2));
        return program;
    }

    static AttachedProfiler options(TargetJvm jvm, Path jar) {
        AttachedProfiler profiler =
                jvm.attach(jar, request -> request.data("com.example.").acceptLastingCost());
        return profiler;
    }

    static void strict(AttachedProfiler profiler) {
        assertTrue(profiler.changes().differences().stream()
                .allMatch(each -> each.verdict().equals("allowed")));
    }

    private static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
