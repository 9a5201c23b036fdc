package mayfly.e2e;

import static mayfly.e2e.EventLog.await;
import static mayfly.e2e.EventLog.seen;
import static mayfly.e2e.EventLog.status;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The starts of loads of classes and of compilations, beside their ends. */
class EventStartsTest {
    private static final String GUEST = "mayfly.targets.ThreadAndClassChurn$Guest";
    private static final int ROUNDS = Scale.count(20, 500);
    /** A line of the JVM's log about a compilation that begins: its number. */
    private static final Pattern COMPILATION = Pattern.compile("^ *(\\d+) .* bytes\\)$");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static List<Long> sequences(List<String> lines) {
        return lines.stream().map(line -> Long.parseLong(line.split(" ")[1])).toList();
    }

    private static List<String> about(String name, List<String> lines) {
        return lines.stream().filter(line -> line.split(" ")[2].equals(name)).toList();
    }

    private static List<String> startingWith(String begin, List<String> lines) {
        return lines.stream().filter(line -> line.startsWith(begin)).toList();
    }

    private static int indexOfCompilation(long number, List<String> log) {
        for (int i = 0; i < log.size(); i++) {
            Matcher line = COMPILATION.matcher(log.get(i));
            if (line.find() && Long.parseLong(line.group(1)) == number) {
                return i;
            }
        }
        throw new AssertionError("compilation " + number + " is not in the JVM's log");
    }

    /** A method of a tier, as in "3 java.lang.String.length", as the JVM writes it: "java.lang.String::length ". */
    private static String nameInTheLog(String tierAndMethod) {
        String method = tierAndMethod.substring(tierAndMethod.indexOf(' ') + 1);
        int dot = method.lastIndexOf('.');
        return method.substring(0, dot) + "::" + method.substring(dot + 1) + " ";
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-10")
    @Partly("C-10: HotSpot does not report the start of the load of a module")
    void loadOfAClassIsReportedAtItsStartAndAtItsEnd(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("load"); // the program's own loader loads the class, too
            Attached profiler = EventLog.attachSynchronous(jvm, folder, "CLASS_LOAD_STARTS CLASS_LOADS");
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(jvm.ask("load")).isEqualTo("a guest");
            }
            List<String> starts = about(
                    GUEST,
                    await(profiler, "starting ", lines -> about(GUEST, lines).size() >= ROUNDS));
            List<String> ends = about(
                    GUEST,
                    await(profiler, "loaded ", lines -> about(GUEST, lines).size() >= ROUNDS));
            assertThat(starts)
                    .hasSize(ROUNDS)
                    .allMatch(line -> line.endsWith(" by mayfly.targets.ThreadAndClassChurn$Loader"));
            assertThat(ends).hasSize(ROUNDS);
            List<Long> alternating = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                alternating.add(sequences(starts).get(i));
                alternating.add(sequences(ends).get(i));
            }
            assertThat(alternating).as("each start is before its end").isSorted();
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** With the classes that the boot loader takes from the archive of shared classes, which has no class files. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-10")
    void startsIncludeClassesOfTheBootLoaderAndNoHiddenClasses(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = EventLog.attachSynchronous(jvm, folder, "CLASS_LOAD_STARTS CLASS_LOADS");
            assertThat(jvm.ask("diagnose " + folder.resolve("answer") + " vmUptime"))
                    .isEqualTo("asked");
            jvm.ask("load");
            Set<String> started = await(
                            profiler, "starting ", lines -> !about(GUEST, lines).isEmpty())
                    .stream()
                    .map(line -> line.split(" ")[2])
                    .collect(Collectors.toSet());
            assertThat(seen(profiler, "starting ")).anyMatch(line -> line.endsWith(" by boot"));
            assertThat(started).noneMatch(name -> name.contains("/0x") || name.startsWith("["));
            Set<String> loaded = await(
                            profiler, "loaded ", lines -> !about(GUEST, lines).isEmpty())
                    .stream()
                    .map(line -> line.split(" ")[2])
                    .filter(name -> !name.contains("/0x") && !name.contains("$$Lambda"))
                    .filter(name -> name.startsWith("javax.management.") || name.startsWith("com.sun.jmx."))
                    .collect(Collectors.toSet());
            assertThat(loaded).hasSizeGreaterThan(10);
            assertThat(started).containsAll(loaded);
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void loadThatFailsHasAStartOnly(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = EventLog.attachSynchronous(jvm, folder, "CLASS_LOAD_STARTS CLASS_LOADS");
            assertThat(jvm.ask("break")).isEqualTo("no class file");
            jvm.ask("load");
            await(profiler, "loaded ", lines -> !about(GUEST, lines).isEmpty());
            await(profiler, "starting ", lines -> !about(GUEST, lines).isEmpty());
            assertThat(about("mayfly.targets.Broken", seen(profiler, "starting ")))
                    .hasSize(1);
            assertThat(about("mayfly.targets.Broken", seen(profiler, "loaded ")))
                    .isEmpty();
            profiler.detach();
        }
    }

    /** The JVM's own log is the oracle. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-10")
    void compilationIsReportedAtItsStartAndAtItsEnd(Jdk jdk) throws Exception {
        Path oracle = folder.resolve("compilations");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Xlog:jit+compilation=debug:file=" + oracle + ":none:filecount=0")
                .start()) {
            Attached profiler = EventLog.attach(jvm, folder, "COMPILATIONS");
            jvm.ask("churn");
            await(profiler, "code ", lines -> lines.size() >= 100);
            jvm.ask("rest");
            // One answer: later ones contain ends of later compilations, too.
            List<String> seen = seen(profiler, "");
            List<String> startLines = startingWith("compiling ", seen);
            List<Long> starts = sequences(startLines);
            Set<String> methods =
                    startLines.stream().map(line -> line.split(" ", 3)[2]).collect(Collectors.toSet());
            List<String> log = Files.readAllLines(oracle);
            List<Long> all = log.stream()
                    .map(COMPILATION::matcher)
                    .filter(line -> line.find())
                    .map(line -> Long.parseLong(line.group(1)))
                    .toList();
            List<String> beforeTheFirst = log.subList(0, indexOfCompilation(starts.get(0), log));
            assertThat(startingWith("code ", seen).stream()
                            .map(line -> line.substring("code ".length()).replaceFirst("\\(\\S*", ""))
                            .filter(method -> !methods.contains(method)))
                    .as("an end without a start is of a compilation that began before the subscription")
                    .allMatch(method -> beforeTheFirst.stream().anyMatch(line -> line.contains(nameInTheLog(method))));
            assertThat(starts).as("each has its own number").doesNotHaveDuplicates();
            // The JVM writes the line of one thread into two logs, and another thread may write in between.
            List<Long> middle = all.subList(all.indexOf(starts.get(5)), all.indexOf(starts.get(starts.size() - 5)));
            assertThat(starts).containsAll(middle);
            assertThat(all).containsAll(starts);
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }
}
