package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.report.text.HottestPaths;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.Kind;
import org.junit.jupiter.api.Test;

class CollapsedTest {
    private static final ConversionOptions THREADS = new ConversionOptions(true, true, false, false, null);
    private static final ConversionOptions NO_NATIVE = new ConversionOptions(false, false, false, false, null);

    static String collapsed(Profile profile, ConversionOptions options) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.COLLAPSED, options, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void collapsedOutputEqualsGoldenFiles() throws IOException {
        Golden.compare("service.collapsed", collapsed(Examples.service(), ConversionOptions.DEFAULT));
        Golden.compare("service-threads.collapsed", collapsed(Examples.service(), THREADS));
        Golden.compare("service-no-native.collapsed", collapsed(Examples.service(), NO_NATIVE));
    }

    /** An inferred frame has the same name as the certain one, and shares its node. */
    @Test
    void inferredFramesDifferInKindButNotInName() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("main", 3, "2 a.B.loop", "j a.B.get")
                .stack("main", 1, "2 a.B.loop", "i a.B.get")
                .profile();
        assertThat(collapsed(profile, ConversionOptions.DEFAULT)).isEqualTo("a.B.loop;a.B.get 4\n");
        CallTree tree = CallTree.of(profile, ConversionOptions.DEFAULT);
        assertThat(tree.size()).isEqualTo(3);
        assertThat(tree.kindOf(2)).isEqualTo(Kind.INFERRED);
        assertThat(tree.leafWeight(Kind.INFERRED)).isEqualTo(3 * tree.leafWeight(Kind.INLINED));
    }

    @Test
    void collapsedOutputIsIndependentOfTheLocale() throws IOException {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr", "TR"));
            Golden.compare("service.collapsed", collapsed(Examples.service(), ConversionOptions.DEFAULT));
            Golden.compare(
                    "service-summary.txt",
                    String.join(
                                    "\n",
                                    HottestPaths.of(Examples.service(), ConversionOptions.DEFAULT, 8)
                                            .lines(80)) + "\n");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void frameNamesFollowTheCollapsedConvention() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("main", 2, "n libc.so.6 start", "2 java.lang.Thread.run", "n libz.so.1", "k do_syscall_64")
                .profile();
        assertThat(collapsed(profile, ConversionOptions.DEFAULT))
                .isEqualTo("start;java.lang.Thread.run;[libz.so.1];do_syscall_64_[k] 2\n");
        assertThat(collapsed(profile, new ConversionOptions(true, true, true, true, null)))
                .isEqualTo("main;start;java.lang.Thread.run(int, java.lang.String):42;"
                        + "[libz.so.1];do_syscall_64_[k] 2\n");
    }

    @Test
    void incompleteStackIsMarkedAtItsRoot() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("t", WalkOutcome.NO_CFI, 1, 5, "2 a.B.c")
                .stack("t", WalkOutcome.TRUNCATED, 1, 5, "2 a.B.c")
                .stack("t", WalkOutcome.THREAD_GONE, 1, 5)
                .stack("t", WalkOutcome.COMPLETE, 1, 5)
                .stack("t", WalkOutcome.UNPROVEN, 1, 5, "2 a.B.c")
                .profile();
        assertThat(collapsed(profile, THREADS)).isEqualToIgnoringWhitespace("""
            t 1
            t;[broken:no_cfi];a.B.c 1
            t;[broken:thread_gone] 1
            t;[truncated];a.B.c 1
            t;[unproven];a.B.c 1
            """);
        assertThat(collapsed(profile, NO_NATIVE)).contains("[broken:no_cfi];a.B.c 1", "[no frames] 1");
    }

    @Test
    void withoutNativesTheTimeGoesToTheJavaCaller() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("t", 3, "n libc.so.6 start", "s call_stub", "2 a.B.c", "w a.B.d", "n libc.so.6 write", "k write")
                .stack("t", 1, "n libc.so.6 start", "v WorkerThread::run()")
                .profile();
        assertThat(collapsed(profile, NO_NATIVE)).isEqualTo("a.B.c;a.B.d 3\n[native] 1\n");
    }

    @Test
    void hostileNamesStayOnOneLine() throws IOException {
        String hostile = "a;b\nc\r\u0000\u202e\u2028\ud800 12\\ é😀";
        Profile profile = new RecordingBuilder()
                .stack(hostile, 1, "2 x." + hostile, "n " + "lib;z 5\n")
                .profile();
        String text = collapsed(profile, THREADS);
        assertThat(text.lines()).hasSize(1);
        assertThat(text)
                .isEqualTo("a\\u003bb\\u000ac\\u000d\\u0000\\u202e\\u2028? 12\\u005c é😀;x.a\\u003bb\\u000ac\\u000d"
                                .replace("?", "?")
                        + "\\u0000\\u202e\\u2028? 12\\u005c é😀;5\\u000a 1\n");
    }

    @Test
    void weightsAreTheValuesOfBytesAndOfUnequalTimes() throws IOException {
        Profile bytes = new RecordingBuilder(Unit.BYTES, "", "")
                .stack("t", WalkOutcome.COMPLETE, 2, 512, "2 a.B.c")
                .profile();
        assertThat(collapsed(bytes, ConversionOptions.DEFAULT)).isEqualTo("a.B.c 1024\n");
        Profile unequal = new RecordingBuilder()
                .stack("t", WalkOutcome.COMPLETE, 1, 700, "2 a.B.c")
                .stack("t", WalkOutcome.COMPLETE, 1, 300, "2 a.B.d")
                .profile();
        assertThat(collapsed(unequal, ConversionOptions.DEFAULT)).isEqualTo("a.B.c 700\na.B.d 300\n");
    }

    @Test
    void onlyStacksWithAFrameOfTheChosenRuntimeAreWritten() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("t", 2, "2 a.B.c")
                .stack("gc", 1, "v WorkerThread::run()")
                .profile();
        var first = new ConversionOptions(false, true, false, false, new RuntimeId.Choice("r1"));
        var second = new ConversionOptions(false, true, false, false, new RuntimeId.Choice("r2"));
        assertThat(collapsed(profile, first)).isEqualTo("a.B.c 2\n");
        assertThat(collapsed(profile, second)).isEmpty();
    }

    @Test
    void runtimeIsChosenByItsVersionOrTheBeginningOfIt() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("t", 2, "2 a.B.c")
                .stack("t", 1, List.of(OtherRuntimesTest.coreClr("Tier1", "Sum")))
                .profile();
        for (String version : List.of("25", "25.0.1", "25.0.1+8-LTS")) {
            assertThat(collapsed(profile, of(version))).as(version).isEqualTo("a.B.c 2\n");
        }
        for (String other : List.of("2", "25.0.10", "17", "r3")) {
            assertThat(collapsed(profile, of(other))).as(other).isEmpty();
        }
        assertThat(collapsed(profile, of("r2"))).isEqualTo("Shop.Orders.Sum 1\n");
        assertThat(collapsed(profile, of("all"))).isEqualTo("a.B.c 2\nShop.Orders.Sum 1\n");
    }

    /** The golden files have the output of a recording with one runtime. */
    @Test
    void framesOfARecordingWithTwoRuntimesHaveTheirRuntimeAsASuffix() throws IOException {
        Frame.Managed first = managed(1);
        Profile profile = RecordingBuilder.ofTwoRuntimes()
                .stack(
                        "t",
                        3,
                        List.of(
                                new Frame.Native("libc.so.6", 0, "start", false),
                                new Frame.Stub(new RuntimeId(1), "call_stub"),
                                first,
                                managed(2),
                                new Frame.Kernel(0, "write")))
                .stack("t", WalkOutcome.TRUNCATED, 2, 10_101_010, List.of(managed(2)))
                .stack("t", 1, List.of(first))
                .profile();
        assertThat(collapsed(profile, THREADS)).isEqualTo("""
            t;start;call_stub_[r1];a.B.c_[r1];a.B.c_[r2];write_[k] 3
            t;[truncated];a.B.c_[r2] 2
            t;a.B.c_[r1] 1
            """);
        assertThat(collapsed(profile, new ConversionOptions(false, false, true, true, new RuntimeId.Choice("r2"))))
                .isEqualTo("a.B.c(int):42_[r1];a.B.c(int):42_[r2] 3\n[truncated];a.B.c(int):42_[r2] 2\n");
    }

    @Test
    void suffixOfAFrameIsIndependentOfTheSamplesOfTheOtherRuntime() throws IOException {
        Profile profile =
                RecordingBuilder.ofTwoRuntimes().stack("t", 2, "2 a.B.c;d").profile();
        assertThat(collapsed(profile, ConversionOptions.DEFAULT)).isEqualTo("a.B.c\\u003bd_[r1] 2\n");
    }

    private static Frame.Managed managed(int runtime) {
        return new Frame.Managed(
                new RuntimeId(runtime), "java", Frame.Managed.INTERPRETED, "", "a.B", "c", "(I)V", 7, 42);
    }

    private static ConversionOptions of(String choice) {
        return new ConversionOptions(false, true, false, false, new RuntimeId.Choice(choice));
    }

    @Test
    void formatIsChosenByExtensionInAnyLocale() {
        assertThat(Format.ofFileName("X.HTML")).contains(Format.FLAMEGRAPH);
        assertThat(Format.ofFileName("a.folded")).contains(Format.COLLAPSED);
        assertThat(Format.ofFileName("a.mayfly")).contains(Format.CAPTURE);
        assertThat(Format.ofFileName("a.svg")).isEmpty();
    }
}
