package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import mayfly.api.probe.ProbeRefusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeCodeTest {
    private static ProbedClass samples() throws Exception {
        return ProbedClass.of(ProbedClass.bytes(ProbedSamples.class));
    }

    @Test
    void methodsOfEachReturnTypeReportTheirEnterAndLeave() throws Exception {
        ProbedClass.Call call = samples().call("allTypes");
        assertThat(call.result()).isEqualTo(ProbedSamples.allTypes());
        List<String> expected = new ArrayList<>();
        expected.add("+allTypes");
        String called = "ofVoid ofBoolean ofByte ofChar ofShort ofInt ofLong ofFloat ofDouble ofString ofArray field"
                + " numbers self generic nothing";
        for (String each : called.split(" ")) {
            expected.add("+" + each);
            expected.add("-" + each);
        }
        expected.add("-allTypes");
        assertThat(call.events()).isEqualTo(expected);
    }

    @Test
    void synchronizedCodeReleasesItsMonitorsAndReportsItsLeaves() throws Exception {
        ProbedClass.Call call = samples().call("monitors");
        assertThat(call.result()).isEqualTo(ProbedSamples.monitors());
        assertThat(String.join(" ", call.events()))
                .isEqualTo("+monitors +locked -locked +lockedStatic -lockedStatic +locked !locked +lockedStatic"
                        + " !lockedStatic +block -block +block -block +block !block -monitors");
    }

    @ParameterizedTest
    @CsvSource({
        "nested, 0, +nested -nested",
        "nested, 1, +nested !nested",
        "nested, 2, +nested -nested",
        "nested, 3, +nested !nested",
        "nested, 4, +nested -nested",
        "returnsInFinally, 0, +returnsInFinally -returnsInFinally",
        "returnsInFinally, 1, +returnsInFinally -returnsInFinally",
        "loop, 100, +loop -loop",
        "reusedVariables, 1, +reusedVariables -reusedVariables",
        "reusedVariables, 0, +reusedVariables -reusedVariables",
        "recursive, 2, +recursive +recursive +recursive -recursive -recursive -recursive",
        "rethrows, , +rethrows +throwsOnly !throwsOnly !rethrows",
    })
    void resultEqualsThatWithoutProbesAndEachEnterHasOneLeave(String name, Integer argument, String events)
            throws Exception {
        Object[] arguments = argument == null ? new Object[0] : new Object[] {argument};
        ProbedClass.Call call = samples().call(name, arguments);
        Class<?> original = ProbedClass.define(ProbedClass.bytes(ProbedSamples.class));
        assertThat(call.result()).isEqualTo(ProbedClass.call(original, name, arguments));
        assertThat(String.join(" ", call.events())).isEqualTo(events);
    }

    /** The JDK throws an exception if it does not have the key, as it does once the host has removed its keys. */
    @Test
    void exceptionOfAnAbsentKeyDoesNotReachTheProgram() throws Exception {
        byte[] original = ProbedClass.bytes(ProbedSamples.class);
        ProbedClass probed = ProbedClass.withAbsentKeys(original);
        Class<?> plain = ProbedClass.define(original);
        for (Object[] each : new Object[][] {
            {"allTypes"},
            {"monitors"},
            {"nested", 0},
            {"nested", 1},
            {"nested", 2},
            {"nested", 3},
            {"nested", 4},
            {"returnsInFinally", 0},
            {"catchesAll", false},
            {"catchesAll", true},
            {"rethrows"},
            {"loop", 9},
            {"reusedVariables", 1},
            {"switches", "b", 1_000_000},
            {"overflow"}
        }) {
            String name = (String) each[0];
            Object[] arguments = Arrays.copyOfRange(each, 1, each.length);
            assertThat(probed.call(name, arguments))
                    .as(name)
                    .isEqualTo(new ProbedClass.Call(ProbedClass.call(plain, name, arguments), List.of()));
        }
    }

    /** Those before 50 have no frames. */
    @ParameterizedTest
    @ValueSource(ints = {48, 49, 50, 51, 52, 55, 61, 65, 69})
    void classFilesOfEachVersionGetProbes(int version) throws Exception {
        ProbedClass probed =
                ProbedClass.of(GeneratedMethods.inVersion(ProbedClass.bytes(ProbedSamples.class), version));
        assertThat(probed.call("allTypes").result()).isEqualTo(ProbedSamples.allTypes());
        assertThat(probed.call("monitors").result()).isEqualTo(ProbedSamples.monitors());
        assertThat(probed.call("nested", 3).events()).containsExactly("+nested", "!nested");
    }

    @ParameterizedTest
    @CsvSource({"3, -", "0, !", "-2, -"})
    void methodWithASubroutineGetsProbes(int argument, String leave) throws Exception {
        for (int version = 48; version <= 50; version++) {
            byte[] original = GeneratedMethods.classFile(48, "(I)I", GeneratedMethods::subroutine);
            original[7] = (byte) version;
            check(original, leave + "run", argument);
        }
    }

    private static void check(byte[] original, String leave, Object... arguments) throws Exception {
        assertThat(ProbedClass.of(original).call("run", arguments))
                .isEqualTo(new ProbedClass.Call(
                        ProbedClass.call(ProbedClass.define(original), "run", arguments), List.of("+run", leave)));
    }

    @ParameterizedTest
    @ValueSource(ints = {48, 50, 52, 61, 69})
    void unusualCodeGetsProbes(int version) throws Exception {
        check(GeneratedMethods.classFile(version, "(DI)D", GeneratedMethods::leftoverStack), "-run", 2.5, 1);
        byte[] overwritten =
                GeneratedMethods.classFile(version, "(ILjava/lang/String;)V", GeneratedMethods::overwrittenParameter);
        check(overwritten, "-run", 1, "");
        check(overwritten, "!run", 0, "");
        check(GeneratedMethods.classFile(version, "(I)J", GeneratedMethods::wideVariables), "-run", 7);
        check(GeneratedMethods.classFile(version, "(I)I", GeneratedMethods::deadCode), "-run", 7);
    }

    /** At some of these lengths a jump needs four bytes because of the probe alone. */
    @Test
    void jumpsThatBecomeTooLongAreWidened() throws Exception {
        for (int length = 32_720; length < 32_770; length += 3) {
            int nops = length;
            byte[] original = GeneratedMethods.classFile(61, "(I)I", code -> GeneratedMethods.longLoop(code, nops));
            check(original, "-run", 7);
            check(original, "-run", 103);
        }
    }

    @Test
    void methodThatWouldBeTooLargeIsRefused() throws Exception {
        byte[] large = GeneratedMethods.classFile(61, "(I)I", code -> GeneratedMethods.longLoop(code, 65_480));
        Insertion insertion = ProbeCode.insert(large, Map.of("run(I)I", 1));
        assertThat(insertion.classFile()).isNull();
        assertThat(insertion.refusals()).isEqualTo(Map.of("run(I)I", ProbeRefusal.TOO_LARGE));
    }

    @Test
    void methodsWithoutAProbeAreRefusedWithTheirReasons() throws Exception {
        byte[] original = ProbedClass.bytes(ThreadLocal.class);
        Insertion insertion = ProbeCode.insert(
                ProbedClass.bytes(Object.class),
                Map.of(
                        "getClass()Ljava/lang/Class;",
                        1,
                        "<init>()V",
                        2,
                        "gone()V",
                        3,
                        "toString()Ljava/lang/String;",
                        4));
        assertThat(insertion.refusals())
                .isEqualTo(Map.of(
                        "getClass()Ljava/lang/Class;",
                        ProbeRefusal.NATIVE,
                        "<init>()V",
                        ProbeRefusal.CONSTRUCTOR,
                        "gone()V",
                        ProbeRefusal.NO_SUCH_METHOD));
        assertThat(insertion.classFile()).isNotNull();
        assertThat(ProbeCode.insert(original, Map.of()).classFile()).isNull();
        assertThat(ProbeCode.insert(ProbedClass.bytes(Runnable.class), Map.of("run()V", 1))
                        .refusals())
                .isEqualTo(Map.of("run()V", ProbeRefusal.ABSTRACT));
        assertThat(ProbeCode.insert(ProbedClass.bytes(Math.class), Map.of("<clinit>()V", 1, "sin(D)D", 2))
                        .refusals())
                .isEqualTo(Map.of("<clinit>()V", ProbeRefusal.CLASS_INITIALIZER, "sin(D)D", ProbeRefusal.INTRINSIC));
    }

    /** Other methods, the fields and the attributes stay byte for byte; the constant pool only grows. */
    @Test
    void restOfTheClassIsUnchanged() throws Exception {
        byte[] original = ProbedClass.bytes(ConcurrentHashMap.class);
        ClassFile file = ClassFile.parse(original);
        String chosen = "mappingCount()J";
        byte[] changed = ProbeCode.insert(original, Map.of(chosen, 1)).classFile();
        assertThat(changed).isNotNull();
        ClassFile changedFile = ClassFile.parse(changed);
        int constants = file.pool().end() - 10;
        assertThat(Arrays.copyOfRange(changed, 10, 10 + constants))
                .isEqualTo(Arrays.copyOfRange(original, 10, 10 + constants));
        byte[] head = Arrays.copyOfRange(
                original, file.pool().end(), codeOf(file, chosen).begin());
        byte[] tail = Arrays.copyOfRange(original, codeOf(file, chosen).end(), original.length);
        assertThat(Arrays.copyOfRange(
                        changed,
                        changedFile.pool().end(),
                        codeOf(changedFile, chosen).begin()))
                .isEqualTo(head);
        assertThat(Arrays.copyOfRange(changed, codeOf(changedFile, chosen).end(), changed.length))
                .isEqualTo(tail);
    }

    private static ClassFile.Range codeOf(ClassFile file, String key) {
        for (ClassFile.Method method : file.methods()) {
            if (method.key().equals(key) && method.code() != null) {
                return method.code();
            }
        }
        throw new AssertionError(key);
    }

    /** Another agent may have written the file. No damage leads to another exception, or to a large allocation. */
    @Test
    void malformedFileIsRefusedOrHasProbes() {
        byte[] original =
                GeneratedMethods.classFile(52, "(ILjava/lang/String;)V", GeneratedMethods::overwrittenParameter);
        Map<String, Integer> probes = Map.of("run(ILjava/lang/String;)V", 1);
        int refused = 0;
        for (int at = 0; at < original.length; at++) {
            for (int damage : new int[] {0, 0x7f, 0xff, original[at] + 1, original[at] ^ 0x10}) {
                byte[] damaged = original.clone();
                damaged[at] = (byte) damage;
                Insertion insertion = ProbeCode.insert(damaged, probes);
                assertThat(insertion.classFile() == null)
                        .isEqualTo(!insertion.refusals().isEmpty());
                refused += insertion.refusals().size();
            }
            assertThat(ProbeCode.insert(Arrays.copyOf(original, at), probes)
                            .refusals()
                            .values())
                    .as("%d bytes", at)
                    .containsOnly(ProbeRefusal.MALFORMED);
        }
        assertThat(refused).isGreaterThan(original.length);
        assertThat(ProbeCode.insert(Arrays.copyOf(original, original.length + 1), probes)
                        .refusals()
                        .values())
                .containsOnly(ProbeRefusal.MALFORMED);
    }

    @Test
    void classFileOfALaterVersionIsRefused() throws Exception {
        byte[] original = ProbedClass.bytes(ProbedSamples.class);
        original[7] = 100;
        assertThat(ProbeCode.insert(original, Map.of("allTypes()Ljava/lang/String;", 1))
                        .refusals())
                .isEqualTo(Map.of("allTypes()Ljava/lang/String;", ProbeRefusal.UNSUPPORTED_VERSION));
    }
}
