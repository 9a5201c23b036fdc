package mayfly.e2e;

import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names made of HTML and control characters are harmless in every output format. */
class HostileNamesTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final String CLASS = "evil.<img src=x onerror=alert(1)>";
    private static final String METHOD = "spin\n\u001b]0:owned\u0007 99999\r\u202e'\"&";
    private static final String THREAD = "</b>\u001b[2J";

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void hostileClassMethodAndThreadNamesAreEscaped(Jdk jdk, @TempDir Path classes, @TempDir Path folder)
            throws Exception {
        Path file = classes.resolve(CLASS.replace('.', '/') + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, program());
        try (Jvm jvm = Jvm.run(CLASS).on(jdk).classPath(classes.toString()).start()) {
            String pid = Long.toString(jvm.pid());
            Path text = folder.resolve("out.collapsed");
            Command asText =
                    CommandLine.run("record", "--json", "-t", "-d", "500ms", "-F", "999", "-o", text.toString(), pid);
            String collapsed = Checks.recorded(asText, text);
            assertHarmless(asText);
            assertThat(collapsed.chars().filter(c -> c != '\n').noneMatch(Character::isISOControl))
                    .isTrue();
            Counts counts = Counts.parse(collapsed);
            assertThat(counts.total()).isEqualTo(Checks.number(asText.stdout(), "samples"));
            assertThat(counts.of(frames -> frames.getLast().contains("spin")))
                    .as(counts.top(5))
                    .isPositive();
            Files.delete(text);

            Path page = folder.resolve("out.html");
            Command asPage = CommandLine.run("record", "-t", "-d", "500ms", "-F", "999", "-o", page.toString(), pid);
            assertThat(Checks.recorded(asPage, page).contains("<img")).isFalse();
            assertHarmless(asPage);

            Command list = CommandLine.run("ps");
            assertThat(list.stdout()).contains(pid);
            assertHarmless(list);
        }
    }

    private static void assertHarmless(Command done) {
        String said = done.stdout() + done.stderr();
        assertThat(said.chars().filter(c -> c != '\n').noneMatch(Character::isISOControl))
                .as(done.evidence())
                .isTrue();
    }

    /** Returns a class whose main method prints READY, names its thread, and then spins in a method without end. */
    private static byte[] program() {
        ClassDesc self = ClassDesc.of("evil", CLASS.substring("evil.".length()));
        ClassDesc system = ClassDesc.of("java.lang.System");
        ClassDesc thread = ClassDesc.of("java.lang.Thread");
        ClassDesc stream = ClassDesc.of("java.io.PrintStream");
        MethodTypeDesc takesText = MethodTypeDesc.of(CD_void, CD_String);
        return ClassFile.of()
                .build(
                        self,
                        c -> c.withVersion(ClassFile.JAVA_11_VERSION, 0)
                                .withMethodBody(
                                        "main",
                                        MethodTypeDesc.of(CD_void, CD_String.arrayType()),
                                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                        code -> code.invokestatic(thread, "currentThread", MethodTypeDesc.of(thread))
                                                .ldc(THREAD)
                                                .invokevirtual(thread, "setName", takesText)
                                                .getstatic(system, "out", stream)
                                                .ldc("READY evil")
                                                .invokevirtual(stream, "println", takesText)
                                                .lconst_1()
                                                .invokestatic(self, METHOD, MethodTypeDesc.of(CD_void, CD_long))
                                                .return_())
                                .withMethodBody(
                                        METHOD,
                                        MethodTypeDesc.of(CD_void, CD_long),
                                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                        code -> {
                                            var again = code.newBoundLabel();
                                            code.lload(0)
                                                    .lconst_1()
                                                    .ladd()
                                                    .lstore(0)
                                                    .goto_(again);
                                        }));
    }
}
