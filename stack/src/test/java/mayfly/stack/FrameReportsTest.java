package mayfly.stack;

import static mayfly.stack.ScriptedRuntime.FRAME_BYTES;
import static mayfly.stack.ScriptedRuntime.inLibrary;
import static mayfly.stack.ScriptedRuntime.java;
import static mayfly.stack.ScriptedRuntime.stub;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import mayfly.arch.x86.X86_64;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.Step;
import mayfly.stack.lock.MonitorReading;
import org.junit.jupiter.api.Test;

class FrameReportsTest {
    private static final int TID = 5;
    private static final Frame.Managed HIDDEN = new Frame.Managed(
            new RuntimeId(1),
            "java",
            Frame.Managed.INTERPRETED,
            "",
            "java.lang.invoke.LambdaForm$MH/0x1",
            "invoke",
            "()V",
            0,
            -1);
    private final Seen seen = new Seen();

    private FrameReports<String> reports(WalkRequest request, Seen into) {
        return new FrameReports<>(
                request,
                into,
                "",
                new FrameReports.Names(new ScriptedProcess().symbolizer()),
                MonitorReading.NONE,
                X86_64.ARCHITECTURE);
    }

    /** Passes frames, leaf first, as a walk does. */
    private List<String> reported(WalkRequest request, Frame... frames) {
        FrameReports<String> reports = reports(request, seen);
        for (Frame frame : frames) {
            reports.accept(frame);
        }
        reports.end();
        return seen.reports;
    }

    @Test
    void everyFrameIsReportedByDefault() {
        assertThat(reported(WalkRequest.of(TID), inLibrary("read"), stub("call"), HIDDEN, java("main")))
                .containsExactly("read", "call", HIDDEN.label(), "Orders.main");
    }

    @Test
    void runsOfNativeFramesAreHolesWithTheirNumber() {
        assertThat(reported(
                        WalkRequest.of(TID).withHoles(),
                        inLibrary("read"),
                        inLibrary("io"),
                        java("leaf"),
                        inLibrary("jni"),
                        java("main"),
                        inLibrary("start")))
                .containsExactly("hole 2", "Orders.leaf", "hole 1", "Orders.main", "hole 1");
    }

    @Test
    void stubsCountInAHoleOnlyIfItHasANativeFrame() {
        assertThat(reported(
                        WalkRequest.of(TID).withHoles(),
                        java("leaf"),
                        stub("adapter"),
                        java("middle"),
                        stub("call"),
                        inLibrary("jni"),
                        stub("entry"),
                        java("main")))
                .containsExactly("Orders.leaf", "Orders.middle", "hole 3", "Orders.main");
    }

    @Test
    void stackOfNativeFramesOnlyIsOneHole() {
        assertThat(reported(WalkRequest.of(TID).withHoles(), inLibrary("read"), inLibrary("start")))
                .containsExactly("hole 2");
    }

    @Test
    void hiddenFramesAreLeftOutOnRequest() {
        assertThat(reported(WalkRequest.of(TID).withoutHidden(), java("leaf"), HIDDEN, java("main")))
                .containsExactly("Orders.leaf", "Orders.main");
    }

    /** A hidden frame is managed code, so the frames before it are reported and the walk is not restarted. */
    @Test
    void hiddenFrameEndsTheWaitForAManagedFrame() {
        FrameReports<String> reports = reports(WalkRequest.of(TID).withoutHidden(), seen);
        reports.accept(inLibrary("read"));
        assertThat(seen.reports).isEmpty();
        reports.accept(HIDDEN);
        assertThat(seen.reports).containsExactly("read");
        assertThat(reports.hasManaged()).isTrue();
    }

    @Test
    void nativeFramesBeforeARestartAreNotReported() {
        FrameReports<String> reports = reports(WalkRequest.of(TID), seen);
        reports.accept(inLibrary("first"));
        reports.beginAnew();
        reports.accept(inLibrary("second"));
        reports.accept(java("main"));
        reports.end();
        assertThat(seen.reports).containsExactly("second", "Orders.main");
    }

    @Test
    void nothingIsReportedAfterTheReceiverHasAborted() {
        Seen first = new Seen(1);
        FrameReports<String> reports = reports(WalkRequest.of(TID), first);
        reports.accept(inLibrary("read"));
        reports.accept(java("leaf"));
        reports.accept(java("main"));
        reports.end();
        assertThat(first.reports).containsExactly("read");
        assertThat(reports.isAborted()).isTrue();
    }

    @Test
    void receiverThatAbortsAtAHoleGetsNoFurtherReport() {
        Seen first = new Seen(1);
        FrameReports<String> reports = reports(WalkRequest.of(TID).withHoles(), first);
        reports.accept(inLibrary("read"));
        reports.accept(java("leaf"));
        reports.end();
        assertThat(first.reports).containsExactly("hole 1");
    }

    @Test
    void skippedFramesAreAHoleOfUnknownSize() {
        FrameReports<String> reports = reports(WalkRequest.of(TID), seen);
        reports.accept(inLibrary("read"));
        reports.skipped(ScriptedProcess.at(0x77, 0x88));
        reports.accept(java("main"));
        reports.end();
        assertThat(seen.reports).containsExactly("read", "hole " + FrameReport.UNKNOWN, "Orders.main");
        assertThat(seen.registers.get(1).pc()).isEqualTo(0x77);
    }

    @Test
    void skippedFramesWidenTheHoleBeforeThem() {
        FrameReports<String> reports = reports(WalkRequest.of(TID).withHoles(), seen);
        reports.accept(inLibrary("read"));
        reports.skipped(ScriptedProcess.at(0x77, 0x88));
        reports.accept(inLibrary("jni"));
        reports.accept(java("main"));
        reports.end();
        assertThat(seen.reports).containsExactly("hole " + FrameReport.UNKNOWN, "Orders.main");
    }

    @Test
    void holeOfSkippedFramesOnlyHasTheRegistersOfTheSkip() {
        FrameReports<String> reports = reports(WalkRequest.of(TID).withHoles(), seen);
        reports.skipped(ScriptedProcess.at(0x77, 0x88));
        reports.accept(java("main"));
        assertThat(seen.registers.getFirst().sp()).isEqualTo(0x88);
    }

    @Test
    void frameHasTheRegistersAtWhichItWasFound() throws Exception {
        var process = new ScriptedProcess().thread(TID, "java", 0x1000);
        process.runtime
                .call(0x1000, 0x2000, inLibrary("read"))
                .call(0x2000, 0x3000, java("inlined"), java("leaf"))
                .end(0x3000, Step.ROOT, java("main"));
        process.walks().walk(WalkRequest.of(TID), seen, "");
        assertThat(seen.registers).extracting(Registers::pc).containsExactly(0x1000L, 0x2000L, 0x2000L, 0x3000L);
        assertThat(seen.registers)
                .extracting(Registers::sp)
                .containsExactly(
                        ScriptedProcess.SP,
                        ScriptedProcess.SP + FRAME_BYTES,
                        ScriptedProcess.SP + FRAME_BYTES,
                        ScriptedProcess.SP + 2 * FRAME_BYTES);
    }

    @Test
    void reportIsValidOnlyDuringItsCall() {
        var kept = new AtomicReference<FrameReport>();
        FrameReports<String> reports = new FrameReports<>(
                WalkRequest.of(TID),
                (report, data) -> {
                    kept.set(report);
                    return FrameCallback.Action.CONTINUE;
                },
                "",
                new FrameReports.Names(new ScriptedProcess().symbolizer()),
                MonitorReading.NONE,
                X86_64.ARCHITECTURE);
        reports.accept(java("main"));
        assertThatThrownBy(() -> kept.get().frame()).isInstanceOf(IllegalStateException.class);
    }
}
