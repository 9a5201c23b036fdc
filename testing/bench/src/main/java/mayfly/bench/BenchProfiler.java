package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachOutcome;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jvm;
import mayfly.kit.Project;

/**
 * The profiler that the benchmarks attach to their targets: FirstEventProfiler of testing/profilers, with every event,
 * with the asynchronous ones, or with none.
 */
final class BenchProfiler {
    static final Path JAR = Project.root().resolve("testing/profilers/target/testing-profilers.jar");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The subscription, and the data for it. */
    enum Events {
        /** All events except probes, by JVMTI where it offers them. */
        ALL("all", "every event, by JVMTI"),
        /** All events that can be had without JVMTI: from the JVM's log, and polled. */
        ASYNCHRONOUS("asynchronous", "every asynchronous event"),
        NONE("none", "none");

        final String data;
        final String title;

        Events(String data, String title) {
            this.data = data;
            this.title = title;
        }
    }

    private BenchProfiler() {}

    static void attach(Jvm jvm, Events events) throws AttachFailed {
        byte[] data = events.data.getBytes(StandardCharsets.UTF_8);
        ProfilerClient.attach(
                new AttachRequest(pid(jvm), JAR, Optional.empty(), Optional.of(data), LIMIT, Acceptance.LASTING_COST));
        boolean jvmti = ProfilerClient.status(pid(jvm))
                .orElseThrow(() -> new IllegalStateException("the target has no host after the attach"))
                .jvmti();
        if (jvmti != (events == Events.ALL)) {
            throw new IllegalStateException("JVMTI was " + (jvmti ? "" : "not ") + "taken");
        }
    }

    /** Makes the profiler leave a shutdown hook, which retains it. */
    static void retain(Jvm jvm) throws AttachFailed {
        ProfilerClient.send(pid(jvm), "retain".getBytes(StandardCharsets.UTF_8), LIMIT);
    }

    static DetachOutcome detach(Jvm jvm) throws AttachFailed {
        // A short collection that the host may force without permission is estimated as a long one here.
        return ProfilerClient.detach(
                new DetachRequest(pid(jvm), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "bench", LIMIT));
    }

    /**
     * Returns the time at which the profiler received the first event, by {@link System#nanoTime()}; waits for an
     * event.
     */
    static long firstEvent(Jvm jvm) throws AttachFailed {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            String[] first =
                    new String(ProfilerClient.send(pid(jvm), new byte[0], LIMIT), StandardCharsets.UTF_8).split(" ");
            if (!first[0].equals("none")) {
                return Long.parseLong(first[0]);
            }
        }
        throw new IllegalStateException("no event came in " + LIMIT);
    }

    /**
     * Creates a jar of another test profiler.
     *
     * @param profiler the profiler's class
     * @param events those of its manifest, separated by commas
     */
    static Path jar(Path folder, String profiler, String events) throws IOException {
        Path jar = folder.resolve(profiler.substring(profiler.lastIndexOf('.') + 1) + ".jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Mayfly-Profiler", profiler);
        manifest.getMainAttributes().putValue("Mayfly-Api", "1");
        manifest.getMainAttributes().putValue("Mayfly-Events", events);
        try (JarFile from = new JarFile(JAR.toFile());
                JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (var entry : from.stream()
                    .filter(each -> each.getName().endsWith(".class"))
                    .toList()) {
                to.putNextEntry(new ZipEntry(entry.getName()));
                from.getInputStream(entry).transferTo(to);
            }
        }
        return jar;
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }
}
