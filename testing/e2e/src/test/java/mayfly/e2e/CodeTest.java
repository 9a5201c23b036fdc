package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.attribute.LineNumberInfo;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.CodeProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Classes, methods and frames as a profiler inside a JVM gets them; the oracles are the class files. */
class CodeTest {
    /** The lower byte of the major version in a class file. */
    private static final int VERSION_AT = 7;

    private static final String CHURN = "mayfly.targets.ThreadAndClassChurn";
    private static final String DESCEND = "mayfly.targets.OverriddenJdkClasses.descend";
    /** JVMS 4.6 and 4.5: the flags that the JVM keeps. */
    private static final int METHOD_FLAGS = 0x1dff;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Attached attach(Jvm jvm, String events) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("code.jar"),
                ProfilerJars.manifest(CodeProfiler.class.getName(), "1", "CLASS_LOADS, STACK_SNAPSHOTS, THREADS"));
        return Attached.by(Attached.request(jvm, jar, events));
    }

    /** Returns the class file of a class of the targets, or of the target's JDK. */
    private static ClassModel classFile(Jdk jdk, String name) throws IOException {
        String path = name.replace('.', '/') + ".class";
        if (name.startsWith("mayfly.")) {
            return ClassFile.of()
                    .parse(Files.readAllBytes(Project.root()
                            .resolve("testing/targets/target/classes")
                            .resolve(path)));
        }
        try (FileSystem files = FileSystems.newFileSystem(
                URI.create("jrt:/"), Map.of("java.home", jdk.home().toString()))) {
            return ClassFile.of().parse(readable(Files.readAllBytes(files.getPath("/modules/java.base", path))));
        }
    }

    /** The parser of this JDK refuses the version of a later one, whose class files have the same format. */
    private static byte[] readable(byte[] file) {
        file[VERSION_AT] = (byte) Math.min(file[VERSION_AT], ClassFile.latestMajorVersion());
        return file;
    }

    private static String methods(ClassModel file) {
        return file.methods().stream()
                .map(each -> each.methodName().stringValue()
                        + each.methodType().stringValue()
                        + " "
                        + (each.flags().flagsMask() & METHOD_FLAGS)
                        + " "
                        + each.findAttribute(Attributes.code())
                                .map(CodeAttribute::codeLength)
                                .orElse(0))
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    private static String fields(ClassModel file) {
        return file.fields().stream()
                .map(each -> each.fieldName().stringValue()
                        + " "
                        + each.fieldType().stringValue()
                        + " "
                        + each.flags().flagsMask())
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    private static String sorted(String lines) {
        return lines.lines().sorted().collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"S-03", "I-01", "I-02"})
    void methodsAndFieldsOfAClassAreThoseOfItsClassFile(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS");
            for (String name : List.of(
                    CHURN,
                    "java.lang.String",
                    "java.lang.Object",
                    "java.util.HashMap",
                    "java.util.Map",
                    "java.lang.Thread",
                    "java.util.concurrent.ConcurrentHashMap",
                    "java.util.ArrayList")) {
                ClassModel file = classFile(jdk, name);
                assertThat(sorted(profiler.ask("methods " + name))).as(name).isEqualTo(methods(file));
                assertThat(sorted(profiler.ask("fields " + name))).as(name).isEqualTo(fields(file));
                assertThat(profiler.ask("described-methods " + name).lines())
                        .as(name)
                        .hasSize(file.methods().size())
                        .containsOnly("true");
                assertThat(profiler.ask("described-fields " + name).lines())
                        .as(name)
                        .hasSize(file.fields().size())
                        .allMatch("true"::equals);
                assertThat(profiler.ask("structure " + name).lines().toList().subList(1, 3))
                        .as(name)
                        .containsExactly(
                                file.superclass()
                                        .filter(any -> !isInterface(file))
                                        .map(each -> each.asInternalName().replace('/', '.'))
                                        .orElse("-"),
                                file.interfaces().stream()
                                        .map(each -> each.asInternalName().replace('/', '.'))
                                        .collect(Collectors.joining(" ")));
            }
            profiler.detach();
        }
    }

    private static String lines(ClassModel file) {
        return file.methods().stream()
                .map(each -> each.methodName().stringValue()
                        + each.methodType().stringValue()
                        + " "
                        + each.findAttribute(Attributes.code())
                                .flatMap(code -> code.findAttribute(Attributes.lineNumberTable()))
                                .map(table -> table.lineNumbers().stream()
                                        .map(line -> line.startPc() + ":" + line.lineNumber())
                                        .collect(Collectors.joining(",")))
                                .orElse(""))
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    private static String code(ClassModel file) {
        return file.methods().stream()
                .map(each -> each.methodName().stringValue()
                        + each.methodType().stringValue()
                        + " "
                        + each.findAttribute(Attributes.code())
                                .map(code -> HexFormat.of().formatHex(code.codeArray()))
                                .orElse(""))
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    /** Methods with loops, switches, constants, lambdas and native ones; those of the target have run. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("I-02")
    void linesAndBytecodesOfEachMethodAreThoseOfItsClassFile(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS");
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            for (String name : List.of(
                    CHURN,
                    "java.lang.Object",
                    "java.lang.String",
                    "java.lang.Thread",
                    "java.lang.Character",
                    "java.util.HashMap",
                    "java.util.Map",
                    "java.util.concurrent.ConcurrentHashMap")) {
                ClassModel file = classFile(jdk, name);
                assertThat(sorted(profiler.ask("lines " + name))).as(name).isEqualTo(lines(file));
                assertThat(sorted(profiler.ask("code " + name))).as(name).isEqualTo(code(file));
            }
            profiler.detach();
            assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
        }
    }

    /** The line of each frame is in the table of its method. Bytecodes are refused where JVMTI has a lasting cost. */
    @ParameterizedTest
    @MethodSource("jdks")
    void linesNeedNoJvmtiAndBytecodesAreRefusedWithoutConsent(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Path jar = ProfilerJars.jar(
                    folder.resolve("code.jar"),
                    ProfilerJars.manifest(CodeProfiler.class.getName(), "1", "CLASS_LOADS, STACK_SNAPSHOTS"));
            Attached profiler = Attached.by(new AttachRequest(
                    Math.toIntExact(jvm.pid()),
                    jar,
                    Optional.empty(),
                    Optional.of("STACK_SNAPSHOTS".getBytes(StandardCharsets.UTF_8)),
                    Attached.LIMIT));
            assertThat(profiler.ask("lines-of-frames").lines())
                    .hasSizeGreaterThan(1)
                    .allMatch("true"::equals);
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            assertThat(profiler.ask("code-of-frame"))
                    .isEqualTo(jdk.feature() >= 21 ? "LASTING_COST_NOT_ACCEPTED" : "OK");
            profiler.detach();
        }
    }

    private static boolean isInterface(ClassModel file) {
        return (file.flags().flagsMask() & ClassFile.ACC_INTERFACE) != 0;
    }

    /** The header has 12 or 16 bytes, and objects are aligned to 8 bytes. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("I-01")
    void structureHasTheSizeOfInstances(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:+UseCompressedOops")
                .start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS");
            assertThat(profiler.ask("structure java.lang.Long").lines().toList())
                    .endsWith("24");
            assertThat(profiler.ask("structure java.lang.Integer").lines().toList())
                    .endsWith("16");
            for (String without : List.of("java.util.Map", "java.util.AbstractMap", "java.lang.Class")) {
                assertThat(profiler.ask("structure " + without).lines().toList())
                        .as(without)
                        .endsWith("-1");
            }
            profiler.detach();
        }
    }

    /** Each line of a frame: the names and line of the frame, then its class, its method and its bytecode index. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"S-03", "S-20"})
    void framesOfTheCallingThreadHaveTheirClassMethodAndBytecodeIndex(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS STACK_SNAPSHOTS");
            assertThat(jvm.ask("load 70")).isEqualTo("loaded");
            List<String> frames = profiler.ask("load-stack mayfly.targets.ThreadAndClassChurn$Guest")
                    .lines()
                    .toList();
            assertThat(frames).hasSizeGreaterThan(70);
            for (String frame : frames) {
                String[] words = frame.split(" ");
                String name = words[0].substring(0, words[0].lastIndexOf(':'));
                String type = name.substring(0, name.lastIndexOf('.'));
                String method = name.substring(name.lastIndexOf('.') + 1);
                assertThat(words[1]).as(frame).isEqualTo(type);
                assertThat(words[2]).as("%s", frames).startsWith(method + "(");
                int line = Integer.parseInt(words[0].substring(words[0].lastIndexOf(':') + 1));
                int index = Integer.parseInt(words[3]);
                if (line > 0) {
                    assertThat(lineOf(classFile(jdk, type), words[2], index))
                            .as(frame)
                            .isEqualTo(line);
                }
            }
            profiler.detach();
        }
    }

    /** Returns the line of an instruction by the class file; -1 if the file has no such method. */
    private static int lineOf(ClassModel file, String method, int index) {
        int line = -1;
        for (MethodModel each : file.methods()) {
            if (method.equals(
                    each.methodName().stringValue() + each.methodType().stringValue())) {
                List<LineNumberInfo> lines = each.findAttribute(Attributes.code())
                        .orElseThrow()
                        .findAttribute(Attributes.lineNumberTable())
                        .orElseThrow()
                        .lineNumbers();
                for (LineNumberInfo at : lines) {
                    line = at.startPc() <= index ? at.lineNumber() : line;
                }
            }
        }
        return line;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-03")
    void framesOfAnotherThreadHaveTheirClassAndTheOnlyMethodOfTheirNameWithoutJvmti(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm, "STACK_SNAPSHOTS");
            jvm.ask("deep deep 50");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            String walk = profiler.ask("stack deep");
            while (walk.lines().filter(line -> line.startsWith(DESCEND)).count() < 50 || !walk.contains("sleep")) {
                deadline.check("the thread does not sleep: %s", walk);
                walk = profiler.ask("stack deep");
            }
            for (String frame : walk.lines().toList()) {
                String[] words = frame.split(" ");
                String name = words[0].substring(0, words[0].lastIndexOf(':'));
                String type = name.substring(0, name.lastIndexOf('.'));
                String method = name.substring(name.lastIndexOf('.') + 1);
                assertThat(words[1]).as(frame).isEqualTo(type);
                List<String> known = classFile(jdk, type).methods().stream()
                        .filter(each -> each.methodName().equalsString(method))
                        .map(each -> each.methodName().stringValue()
                                + each.methodType().stringValue())
                        .toList();
                assertThat(words[2]).as(frame).isEqualTo(known.size() == 1 ? known.getFirst() : "-");
                assertThat(words[3]).as(frame).isEqualTo("-1");
            }
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            profiler.detach();
            assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
        }
    }

    /** A report would appear among the target's answers. */
    @ParameterizedTest
    @MethodSource("jdks")
    void checkJniPrintsNothingForQuestionsAboutCode(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("OverriddenJdkClasses").on(jdk).with("-Xcheck:jni").start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS STACK_SNAPSHOTS");
            jvm.ask("deep deep 200");
            assertThat(jvm.ask("load 200")).isEqualTo("loaded");
            assertThat(profiler.ask("load-stack " + CHURN + "$Guest")).contains(DESCEND);
            assertThat(profiler.ask("stack deep")).contains(DESCEND);
            assertThat(profiler.ask("methods java.lang.String")).contains("indexOf(I)I");
            assertThat(profiler.ask("structure java.lang.String")).contains("java.lang.Comparable");
            assertThat(profiler.ask("keep " + CHURN + "$Guest")).isEqualTo("OK OK OK OK OK OK OK OK OK");
            assertThat(profiler.ask("loader")).contains("AppClassLoader app");
            profiler.detach();
            assertThat(jvm.ask("trespasses")).isEqualTo("[]");
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
            assertThat(jvm.evidence()).doesNotContain("WARNING in native method", "exceeds capacity");
        }
    }

    /** The oracle for the CPU time is the JVM's thread dump, before and after the walk. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-20")
    void walkOfAllThreadsHasTheirStatesCpuTimesAndStacksWithoutJvmti(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).start()) {
            Attached profiler = attach(jvm, "STACK_SNAPSHOTS");
            String walked = "";
            Deadline deadline = Deadline.in(Attached.LIMIT);
            double before = 0;
            while (!walked.contains("worker|WAITING|")) {
                deadline.check("the worker does not wait: %s", walked);
                before = cpuMillis(jvm, "main");
                walked = profiler.ask("all-threads");
            }
            double after = cpuMillis(jvm, "main");
            List<String> threads = walked.lines().toList();
            assertThat(threads).anyMatch(line -> line.startsWith("Signal Dispatcher|RUNNABLE|"));
            assertThat(threads).noneMatch(line -> line.startsWith("Mayfly host|"));
            String[] worker = parts(threads, "worker");
            assertThat(worker[3]).isEqualTo("java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject");
            assertThat(worker[4])
                    .contains(" mayfly.targets.LeakyLoaders work()V -1,")
                    .contains("java.lang.Thread.run:");
            String[] main = parts(threads, "main");
            assertThat(main[1]).isEqualTo("RUNNABLE");
            assertThat(Long.parseLong(main[2]) / 1e6).isBetween(before - 0.02, after + 0.02);
            assertThat(main[4]).contains(" mayfly.targets.LeakyLoaders main([Ljava/lang/String;)V -1,");
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            profiler.detach();
            assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
        }
    }

    private static String[] parts(List<String> threads, String name) {
        return threads.stream()
                .filter(line -> line.startsWith(name + "|"))
                .findFirst()
                .orElseThrow()
                .split("\\|");
    }

    private static double cpuMillis(Jvm jvm, String name) {
        Command dump = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Thread.print");
        Matcher cpu =
                Pattern.compile("(?m)^\"" + name + "\" .* cpu=([0-9.]+)ms").matcher(dump.stdout());
        assertThat(cpu.find()).as(dump.evidence()).isTrue();
        return Double.parseDouble(cpu.group(1));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"S-03", "C-06"})
    void idsOfAnUnloadedClassAreUnknownAndItsLoaderIsReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS");
            jvm.ask("load");
            assertThat(profiler.ask("keep " + CHURN + "$Guest")).isEqualTo("OK OK OK OK OK OK OK OK OK");
            assertThat(profiler.ask("loader").lines())
                    .containsExactly(
                            CHURN + "$Loader -",
                            "jdk.internal.loader.ClassLoaders$AppClassLoader app",
                            "jdk.internal.loader.ClassLoaders$PlatformClassLoader platform");
            assertThat(profiler.ask("foreign").split(" ")).hasSize(12).containsOnly("UNKNOWN_ID");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (profiler.count("kept loader unloaded") == 0) {
                deadline.check("the loader stays");
                jvm.ask("unload");
            }
            assertThat(profiler.count("kept loader unloaded")).isOne();
            assertThat(profiler.ask("kept").split(" ")).hasSize(9).containsOnly("UNKNOWN_ID");
            profiler.detach();
            assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
        }
    }
}
