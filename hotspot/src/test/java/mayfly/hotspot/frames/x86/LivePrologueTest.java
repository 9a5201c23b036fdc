package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.LiveVm;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.frames.x86.CompiledPrologue.State;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares, at every instruction boundary of the compiled methods of a real JVM, the state of the frame according to
 * {@link CompiledPrologue} with the path of the stack pointer through the disassembly. The expected state comes from
 * objdump and simple addition.
 */
@Tag("jvm")
class LivePrologueTest {
    private static final boolean DEEP = Boolean.getBoolean("mayfly.deep");
    private static final int METHODS = DEEP ? 4000 : 400;

    @TempDir
    private Path directory = Path.of("");

    private record Instruction(long address, String text) {}

    @Test
    void prologueStateOfALiveVmMatchesTheStackPointer() throws Exception {
        List<Path> jdks = LiveVm.jdks();
        for (Path home : DEEP ? jdks : jdks.subList(jdks.size() - 1, jdks.size())) {
            try (LiveVm vm = LiveVm.start(home, directory)) {
                check(home, vm);
            }
        }
    }

    private void check(Path home, LiveVm vm) throws Exception {
        int boundaries = 0;
        int methods = 0;
        List<String> wrong = new ArrayList<>();
        for (CodeBlob blob : vm.cache().first(METHODS, problem -> {})) {
            if (blob instanceof Nmethod nmethod
                    && nmethod.kind == CodeBlob.Kind.NMETHOD
                    && nmethod.osrEntry == 0
                    && nmethod.frameSize > 0) {
                methods++;
                boundaries += check(nmethod, vm, wrong);
            }
        }
        assertThat(methods).isGreaterThan(100);
        assertThat(wrong.size()).as("%s", wrong.stream().limit(20).toList()).isLessThan(boundaries / 1000);
    }

    /**
     * Follows the code linearly. Code after a return begins with a complete frame, unless it is the stub of a return
     * poll.
     */
    private int check(Nmethod nmethod, LiveVm vm, List<String> wrong) throws Exception {
        long end = nmethod.deoptHandler != 0 ? nmethod.deoptHandler : nmethod.codeEnd;
        List<Instruction> code = disassemble(nmethod, vm, end);
        if (code.getFirst().text.startsWith("jmp")) {
            return 0; // not entrant: its first instruction has been overwritten
        }
        int depth = 0;
        int whole = nmethod.frameSize * 8 - 8;
        boolean made = false;
        boolean pushed = false;
        boolean unknown = false;
        int n = 0;
        int known = 0;
        for (Instruction i : code) {
            if (isReturnPoll(code, n)) {
                depth = 0;
                pushed = false;
                unknown = false;
            }
            n++;
            if (!unknown) {
                known++;
                State state = CompiledPrologue.at(i.address, nmethod, vm.memory);
                State expected = pushed ? State.COMPLETE : State.RBP_NOT_SAVED;
                if (depth == 0) {
                    expected = State.ENTERED;
                } else if (depth == 8 && pushed && (whole != 8 || state != State.COMPLETE)) {
                    expected = State.RBP_PUSHED;
                }
                if (state != expected) {
                    wrong.add(nmethod + " level " + nmethod.compLevel + " +"
                            + Long.toHexString(i.address - nmethod.codeBegin) + " " + i.text + ": " + state + ", not "
                            + expected);
                }
            }
            String text = i.text;
            if (text.matches("push +rbp")) {
                depth += 8;
                pushed = true;
            } else if (text.matches("pop +rbp")) {
                depth -= 8;
                pushed = false;
            } else if (text.matches("sub +rsp,.*")) {
                depth += Long.decode(text.replaceAll(".*,", "")).intValue();
            } else if (text.matches("add +rsp,.*")) {
                depth -= Long.decode(text.replaceAll(".*,", "")).intValue();
            } else if (text.matches("mov +QWORD PTR \\[rsp\\+.*\\],rbp") && !made) {
                pushed = true;
            } else if (text.matches("(ret|jmp|hlt|ud2).*")
                    || text.matches("(push|pop).*|.*rsp,.*") && !text.matches("(cmp|mov|lea|test).*")) {
                // The following code is reached from elsewhere, mostly with a complete frame.
                unknown = !text.matches("(ret|jmp).*");
                depth = whole;
                pushed = true;
            }
            made |= depth == whole && pushed;
        }
        return known;
    }

    /**
     * Returns true for the stub of a return's safepoint poll, which has no frame: lea or mov of a pc to r10; mov
     * [r15…], r10; jmp.
     */
    private static boolean isReturnPoll(List<Instruction> code, int i) {
        return i + 1 < code.size()
                && code.get(i).text.matches("lea +r10,\\[rip.*|movabs +r10,.*")
                && code.get(i + 1).text.matches("mov +QWORD PTR \\[r15.*\\],r10");
    }

    private List<Instruction> disassemble(Nmethod nmethod, LiveVm vm, long end) throws Exception {
        byte[] bytes = new byte[(int) (end - nmethod.codeBegin)];
        vm.memory.read(nmethod.codeBegin, bytes, 0, bytes.length);
        Path file = Files.write(directory.resolve("code"), bytes);
        List<Instruction> found = new ArrayList<>();
        Process objdump = disassembler(nmethod, file);
        try (BufferedReader lines = objdump.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int colon = line.indexOf(":\t");
                if (colon > 0) {
                    found.add(new Instruction(
                            nmethod.codeBegin
                                    + Long.parseLong(line.substring(0, colon).strip(), 16),
                            line.substring(colon + 2).strip()));
                }
            }
        }
        objdump.waitFor();
        return found;
    }

    private static Process disassembler(Nmethod nmethod, Path file) throws IOException {
        try {
            return new ProcessBuilder(
                            "objdump",
                            "-D",
                            "-b",
                            "binary",
                            "-m",
                            "i386:x86-64",
                            "-M",
                            "intel",
                            "--no-show-raw-insn",
                            "--start-address=" + (nmethod.verifiedEntry - nmethod.codeBegin),
                            file.toString())
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "objdump is not installed");
            throw e;
        }
    }
}
