package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.attach.client.AttachRequest;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import mayfly.profilers.testing.LocksProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The locks in a walk of all threads, beside what the program and the JVM's own thread dump say. */
class LocksTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Attaches the profiler without accepting the lasting cost of JVMTI. */
    private Attached attach(Jvm jvm) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("locks.jar"),
                ProfilerJars.manifest(LocksProfiler.class.getName(), "1", "STACK_SNAPSHOTS"));
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()), jar, Optional.empty(), Optional.of(new byte[0]), Attached.LIMIT));
    }

    /** A thread of a walk, or of a thread dump with the names of classes only. */
    private record Seen(
            String state,
            String blocker,
            String owner,
            List<String> monitors,
            List<String> synchronizers,
            List<String> frames) {
        private static List<String> list(String text) {
            return text.isEmpty() ? List.of() : List.of(text.split(","));
        }

        /** Returns the threads of a walk by their numbers. */
        static Map<Long, Seen> walk(Attached profiler, String locks) throws Exception {
            Map<Long, Seen> threads = new TreeMap<>();
            for (String line : profiler.ask(locks).lines().toList()) {
                String[] cells = line.split("\\|", -1);
                threads.put(
                        Long.parseLong(cells[0]),
                        new Seen(cells[2], cells[3], cells[4], list(cells[5]), list(cells[6]), list(cells[7])));
            }
            return threads;
        }

        private static String name(String object) {
            return object.substring(0, object.indexOf('@') < 0 ? object.length() : object.indexOf('@'));
        }

        /** Returns the same without identities; monitors as their class and the method that has entered them. */
        Seen named() {
            return new Seen(
                    state,
                    name(blocker),
                    "",
                    monitors.stream()
                            .map(each -> name(each) + " in "
                                    + frames.get(Integer.parseInt(each.substring(each.lastIndexOf('@') + 1))))
                            .toList(),
                    synchronizers.stream().map(Seen::name).sorted().toList(),
                    frames);
        }
    }

    private static final Pattern THREAD = Pattern.compile("^\".*\" #(\\d+) .*");
    private static final Pattern STATE = Pattern.compile("^\\s+java\\.lang\\.Thread\\.State: (\\w+).*");
    private static final Pattern FRAME = Pattern.compile("^\\s+at .+\\.([^.(]+)\\([^()]*\\)$");
    private static final Pattern LOCK = Pattern.compile(
            "^\\s+- (locked|waiting to lock|waiting on|parking to wait for|)\\s*<0x[0-9a-f]+> " + "\\(an? (.+)\\)$");

    /** Returns the threads of a dump by their numbers. */
    private static Map<Long, Seen> printed(String text) {
        Map<Long, Seen> threads = new TreeMap<>();
        for (String part : text.split("\n(?=\")")) {
            List<String> lines = part.lines().toList();
            Matcher thread = THREAD.matcher(lines.getFirst());
            if (!thread.matches()) {
                continue;
            }
            String state = "";
            String blocker = "-";
            List<String> monitors = new ArrayList<>();
            List<String> synchronizers = new ArrayList<>();
            List<String> frames = new ArrayList<>();
            for (String line : lines) {
                Matcher stated = STATE.matcher(line);
                Matcher frame = FRAME.matcher(line);
                Matcher lock = LOCK.matcher(line);
                if (stated.matches()) {
                    state = stated.group(1);
                } else if (frame.matches()) {
                    frames.add(frame.group(1));
                } else if (lock.matches()) {
                    String name = lock.group(2).startsWith("java.lang.Class for ") ? "java.lang.Class" : lock.group(2);
                    switch (lock.group(1)) {
                        case "locked" -> monitors.add(name + " in " + frames.getLast());
                        case "" -> synchronizers.add(name);
                        default -> blocker = name;
                    }
                }
            }
            threads.put(
                    Long.parseLong(thread.group(1)),
                    new Seen(
                            state,
                            blocker,
                            "",
                            monitors,
                            synchronizers.stream().sorted().toList(),
                            frames));
        }
        return threads;
    }

    private static boolean isManagementMapped(Jvm jvm) throws Exception {
        return Files.readAllLines(Path.of("/proc", Long.toString(jvm.pid()), "maps")).stream()
                .anyMatch(line -> line.endsWith("/libmanagement.so"));
    }

    private static void detach(Jvm jvm, Attached profiler) throws Exception {
        assertThat(EventLog.status(jvm).jvmti()).isFalse();
        profiler.detach();
        assertThat(HostTrace.of(jvm)).isEmpty();
        assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-27")
    void ownersAndWaitersAreThoseThatTheProgramStates(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).start()) {
            Attached profiler = attach(jvm);
            String[] block = jvm.ask("block").split(" ");
            assertThat(profiler.ask("SHOW_IF_LOADED"))
                    .startsWith("UNSUPPORTED_FOR_ATTACHING_PROFILER: the program has not loaded the JDK's library");
            assertThat(isManagementMapped(jvm)).isFalse();
            Map<Long, Seen> walked = Seen.walk(profiler, "SHOW");
            String monitor = block[0] + "@" + block[1];
            Seen owner = walked.get(Long.parseLong(block[2]));
            Seen waits = walked.get(Long.parseLong(block[3]));
            assertThat(waits.state).isEqualTo("BLOCKED");
            assertThat(waits.blocker).isEqualTo(monitor);
            assertThat(waits.owner).isEqualTo(block[2]);
            assertThat(waits.monitors).isEmpty();
            assertThat(waits.frames).startsWith("enter");
            assertThat(owner.monitors).singleElement().satisfies(held -> {
                assertThat(held).startsWith(monitor + "@");
                int frame = Integer.parseInt(held.substring(held.lastIndexOf('@') + 1));
                assertThat(owner.frames.get(frame)).startsWith("lambda$block$");
            });
            assertThat(Seen.walk(profiler, "SHOW_IF_LOADED").get(Long.parseLong(block[3])))
                    .isEqualTo(waits);
            Seen without = Seen.walk(profiler, "OMIT").get(Long.parseLong(block[3]));
            assertThat(without.owner).isEqualTo("none");
            assertThat(without.frames).isEqualTo(waits.frames);
            assertThat(jvm.ask("free")).isEqualTo("free");
            if (jdk.feature() < 19) {
                assertThat(jvm.ask("override")).isEqualTo("started");
                assertThat(profiler.ask("SHOW"))
                        .startsWith("UNSUPPORTED_FOR_ATTACHING_PROFILER: ")
                        .contains("getId");
                assertThat(jvm.ask("called"))
                        .as("code of the program was called")
                        .isEqualTo("0");
            }
            detach(jvm, profiler);
            assertThat(isManagementMapped(jvm)).as("docs/footprint.md lists it").isTrue();
        }
    }

    /** Threads that wait in every way the JDK has; those in Object.wait still print the monitor that they released. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-27")
    void locksEqualThoseOfTheJvmsThreadDump(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            Attached profiler = attach(jvm);
            Map<Long, Seen> walked = Seen.walk(profiler, "SHOW");
            Map<Long, Seen> printed = printed(ThreadPrint.text(jvm));
            int monitors = 0;
            int synchronizers = 0;
            int blocked = 0;
            for (Map.Entry<Long, Seen> each : walked.entrySet()) {
                Seen theirs = printed.get(each.getKey());
                if (theirs == null || theirs.frames.isEmpty() || theirs.state.equals("RUNNABLE")) {
                    continue;
                }
                Seen ours = each.getValue().named();
                assertThat(ours.state).as("%s", theirs).isEqualTo(theirs.state);
                assertThat(ours.synchronizers).as("%s", theirs).isEqualTo(theirs.synchronizers);
                if (!ours.frames.contains("wait")) {
                    assertThat(ours.monitors).as("%s", theirs).isEqualTo(theirs.monitors);
                    assertThat(ours.blocker).as("%s", theirs).isEqualTo(theirs.blocker);
                }
                monitors += ours.monitors.size();
                synchronizers += ours.synchronizers.size();
                blocked += ours.state.equals("BLOCKED") ? 1 : 0;
            }
            assertThat(List.of(monitors, synchronizers, blocked)).allMatch(count -> count > 1);
            detach(jvm, profiler);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-27")
    void locksAreRefusedInARuntimeWithoutTheModule(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled")
                .on(PolledEventsTest.linked(jdk, folder.resolve("runtime")))
                .start()) {
            Attached profiler = attach(jvm);
            for (String locks : List.of("SHOW", "SHOW_IF_LOADED")) {
                assertThat(profiler.ask(locks))
                        .isEqualTo("UNSUPPORTED_FOR_ATTACHING_PROFILER: locks are not available: this runtime has no"
                                + " module java.management");
            }
            assertThat(Seen.walk(profiler, "OMIT")).isNotEmpty();
            detach(jvm, profiler);
        }
    }
}
