package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import mayfly.arch.x86.X86_64;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stacks of compiled C programs, whose calls are known. */
@Tag("privileged")
class NativeStepperTest {
    private static final List<String> CHAIN = List.of("wait_here", "third", "second", "first");

    /** {@code mov rax, 15; syscall}. */
    private static final byte[] RESTORER = {0x48, (byte) 0xc7, (byte) 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

    @TempDir
    private Path directory = Path.of("");

    /** The result of a walk: names leaf first, and its end. */
    private record Walk(List<String> names, List<Frame.Native> frames, Step end) {
        /** Returns the part from the first function of the program on. */
        List<String> from(String name) {
            return names.contains(name) ? names.subList(names.indexOf(name), names.size()) : names;
        }
    }

    private static Walk walk(Fixture process, NativeCode code, NativeStepper stepper) throws Exception {
        return walk(process, code, stepper, process.registers(code));
    }

    private static Walk walk(Fixture process, NativeCode code, NativeStepper stepper, Registers registers) {
        FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, process.memory(), process.memory(), code);
        cursor.start(registers, 0);
        Symbolizer symbolizer = new Symbolizer(code);
        List<Frame.Native> frames = new ArrayList<>();
        Step step = Step.CALLER;
        for (int i = 0; i < 100 && step == Step.CALLER; i++) {
            step = stepper.step(cursor, frame -> frames.add((Frame.Native) frame));
        }
        return new Walk(frames.stream().map(symbolizer::symbol).toList(), frames, step);
    }

    private static Walk walk(Fixture process) throws Exception {
        NativeCode code = NativeCode.of(process);
        return walk(process, code, new NativeStepper(code, pc -> false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-O0", "-O1", "-O2", "-Os", "-O2 -fno-omit-frame-pointer", "-O2 -static", "-O2 -no-pie"})
    void nativeStackIsWalkedToItsRoot(String options) throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, options.split(" ")))) {
            Walk walk = walk(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.ROOT);
            assertThat(walk.from("wait_here"))
                    .startsWith(CHAIN.toArray(String[]::new))
                    .contains("main")
                    .endsWith("_start");
        }
    }

    /** Walks with only the stack pointer and the program counter, as for a thread that was copied without a stop. */
    private static Walk walkFromStackPointer(Fixture process) throws Exception {
        NativeCode code = NativeCode.of(process);
        Registers all = process.registers(code);
        Registers few = new Registers(X86_64.ARCHITECTURE);
        few.set(X86_64.RSP, all.sp());
        few.set(X86_64.RIP, all.pc());
        return walk(process, code, new NativeStepper(code, pc -> false), few);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-O0",
                "-O1 -fno-omit-frame-pointer",
                "-O2 -fno-omit-frame-pointer",
                "-O2 -fno-omit-frame-pointer -static"
            })
    void stackWithFramePointersIsWalkedWithoutRbp(String options) throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, options.split(" ")))) {
            Walk walk = walkFromStackPointer(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.ROOT);
            assertThat(walk.frames).isEqualTo(walk(process).frames);
        }
    }

    /** The function {@code second} allocates an amount that is not a constant in its code. */
    @Test
    void frameOfUnknownDepthWithoutRbpEndsTheWalk() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            Walk walk = walkFromStackPointer(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.UNKNOWN_REGISTER);
            assertThat(walk.from("wait_here")).containsExactly("wait_here", "third", "second");
        }
    }

    @Test
    void signalHandlerIsWalkedIntoTheInterruptedCode() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"), "signal")) {
            Walk walk = walk(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.ROOT);
            assertThat(walk.from("wait_here"))
                    .startsWith(CHAIN.toArray(String[]::new))
                    .containsSubsequence("handler", "raise", "main", "_start")
                    .contains("interrupted");
        }
    }

    @Test
    void threadIsWalkedToItsStart() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"), "thread")) {
            Walk walk = walk(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.ROOT);
            assertThat(walk.from("wait_here"))
                    .startsWith(CHAIN.toArray(String[]::new))
                    .doesNotContain("main");
        }
    }

    /**
     * The caller of the leaf is found by decoding the leaf's code up to its return. The walk ends at the next frame.
     */
    @Test
    void walkEndsAtCodeWithoutCallFrameInformation() throws Exception {
        String[] bare = {"-O1", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fomit-frame-pointer"};
        try (Fixture process = Fixture.run(Fixture.compile(directory, bare))) {
            Walk walk = walk(process);
            assertThat(walk.end).as("%s", walk.names).isEqualTo(Step.NO_CFI);
            assertThat(walk.from("wait_here")).containsExactly("wait_here", "third");
        }
    }

    /** A deleted or replaced file is read from its loaded parts. */
    @Test
    void unreadableFileIsReplacedByItsLoadedImage() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"), "thread")) {
            Walk whole = walk(process);
            process.refuseFiles = true;
            NativeCode code = NativeCode.of(process);
            Walk loaded = walk(process, code, new NativeStepper(code, pc -> false));
            assertThat(loaded.end).as("%s", loaded.names).isEqualTo(Step.ROOT);
            assertThat(loaded.frames).isEqualTo(whole.frames);
            assertThat(code.modules()).anySatisfy(m -> assertThat(m.problem()).contains("was replaced"));
        }
    }

    /** The same program counter yields the same frame object. */
    @Test
    void framesAreCachedByPc() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeStepper stepper = new NativeStepper(code, pc -> false);
            Walk once = walk(process, code, stepper);
            Walk again = walk(process, code, stepper);
            assertThat(again.frames).hasSameSizeAs(once.frames);
            for (int i = 0; i < once.frames.size(); i++) {
                assertThat(again.frames.get(i)).isSameAs(once.frames.get(i));
            }
        }
    }

    /** glibc's clone has no call-frame information after the system call: in the new thread the frame is the root. */
    @Test
    void cloneFrameOfANewThreadIsTheRoot() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeModule libc = code.modules().stream()
                    .filter(m -> m.name().startsWith("libc"))
                    .findFirst()
                    .orElseThrow();
            assertThat(libc.symbols()).isNotNull();
            assertThat(libc.frames()).isNotNull();
            long clone = libc.symbols().addressOf("clone").orElseThrow();
            byte[] bytes = new byte[2];
            long pc = 0;
            for (long at = clone; at < clone + 0x100 && pc == 0; at++) {
                boolean systemCall = code.read(libc, libc.bias() + at - 2, bytes) && bytes[0] == 0x0f && bytes[1] == 5;
                pc = systemCall && libc.frames().rowAt(at) == null ? at + libc.bias() : 0;
            }
            assumeTrue(pc != 0, "this libc has call-frame information for all of clone");
            NativeStepper stepper = new NativeStepper(code, address -> false);
            FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, process.memory(), process.memory(), code);
            Registers registers = process.registers(code);
            registers.set(X86_64.RIP, pc);
            registers.set(X86_64.RAX, 0);
            cursor.start(registers, 0);
            assertThat(stepper.step(cursor, frame -> {})).isEqualTo(Step.ROOT);
            registers.set(X86_64.RAX, 1234);
            cursor.start(registers, 0);
            assertThat(stepper.step(cursor, frame -> {})).isNotEqualTo(Step.ROOT);
        }
    }

    /**
     * A thread in sigreturn(2), whose handler has returned, is right after the restorer's last byte, where the
     * restorer's call-frame information has ended.
     */
    @Test
    void threadInSigreturnIsWalkedIntoTheInterruptedCode() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"), "signal")) {
            NativeCode code = NativeCode.of(process);
            NativeStepper stepper = new NativeStepper(code, pc -> false);
            FrameCursor handler = new FrameCursor(X86_64.ARCHITECTURE, process.memory(), process.memory(), code);
            handler.start(process.registers(code), 0);
            byte[] bytes = new byte[RESTORER.length];
            for (int i = 0; i < 100 && !java.util.Arrays.equals(bytes, RESTORER); i++) {
                assertThat(stepper.step(handler, frame -> {})).isEqualTo(Step.CALLER);
                process.memory().read(handler.registers().pc(), bytes, 0, bytes.length);
            }
            assertThat(bytes).as("the handler returns to the restorer").isEqualTo(RESTORER);
            Registers inSyscall = new Registers(X86_64.ARCHITECTURE);
            inSyscall.copyFrom(handler.registers());
            inSyscall.set(X86_64.RIP, handler.registers().pc() + RESTORER.length);
            FrameCursor returning = new FrameCursor(X86_64.ARCHITECTURE, process.memory(), process.memory(), code);
            returning.start(inSyscall, 0);
            assertThat(stepper.step(returning, frame -> {})).isEqualTo(Step.CALLER);
            List<Frame> restorer = new ArrayList<>();
            long returnAddress = handler.registers().pc();
            assertThat(stepper.step(handler, restorer::add)).isEqualTo(Step.CALLER);
            assertThat(((Frame.Native) restorer.getFirst()).address())
                    .as("has the restorer's name")
                    .isEqualTo(
                            Objects.requireNonNull(code.moduleAt(returnAddress)).vaddr(returnAddress));
            assertThat(returning.exact()).isTrue();
            for (int register : new int[] {X86_64.RIP, X86_64.RSP, X86_64.RBP, X86_64.RBX}) {
                assertThat(returning.registers().get(register))
                        .isEqualTo(handler.registers().get(register));
            }
        }
    }
}
