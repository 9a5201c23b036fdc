package mayfly.unwind;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.binary.elf.ElfFile;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;

/** A compiled C program that waits in a system call, read through /proc, without native access. */
final class Fixture implements TargetProcess {
    private final Process process;
    private final RandomAccessFile mem;
    private final int tid;
    boolean refuseFiles;
    int mappingReads;

    private Fixture(Process process, int tid) throws IOException {
        this.process = process;
        this.tid = tid;
        this.mem = new RandomAccessFile("/proc/" + process.pid() + "/mem", "r");
    }

    /** Compiles the program. Skips the test if gcc is not available. */
    static Path compile(Path directory, String... options) throws Exception {
        Path source = directory.resolve("chain.c");
        try (InputStream in = Fixture.class.getResourceAsStream("/fixture/chain.c")) {
            Files.write(source, java.util.Objects.requireNonNull(in).readAllBytes());
        }
        Path program = directory.resolve("chain" + String.join("", options));
        List<String> command = new ArrayList<>(List.of("gcc", "-o", program.toString(), source.toString(), "-pthread"));
        command.addAll(List.of(options));
        try {
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            assumeTrue(status == 0, "gcc does not compile with " + List.of(options));
        } catch (IOException e) {
            assumeTrue(false, "gcc is not installed");
        }
        return program;
    }

    /** Starts the program. Waits until it has printed that it is ready, and the kernel reports that it waits. */
    static Fixture run(Path program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        if (process.inputReader().readLine() == null) {
            throw new IOException("the program ended early");
        }
        for (; ; ) {
            try (var tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
                for (Path task : tasks.toList()) {
                    String call = Files.readString(task.resolve("syscall"));
                    // read(2) of the standard input
                    if (call.startsWith("0 0x0 ")) {
                        return new Fixture(
                                process, Integer.parseInt(task.getFileName().toString()));
                    }
                }
            } catch (java.nio.file.AccessDeniedException e) {
                process.destroy();
                assumeTrue(false, "no permission to inspect a child process: " + e.getMessage());
            }
            Thread.onSpinWait();
        }
    }

    /**
     * Returns the registers of the waiting thread: the stack pointer and the program counter from the kernel, the
     * callee-saved registers from the memory of the program.
     */
    Registers registers(NativeCode code) throws Exception {
        String[] words = Files.readString(Path.of("/proc/" + pid() + "/task/" + tid + "/syscall"))
                .strip()
                .split(" ");
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RSP, Long.decode(words[words.length - 2]));
        registers.set(X86_64.RIP, Long.decode(words[words.length - 1]));
        NativeModule program = code.modules().stream()
                .filter(m -> m.name().startsWith("chain"))
                .findFirst()
                .orElseThrow();
        long saved = program.bias()
                + ElfFile.parse(
                                "chain",
                                MemorySegment.ofArray(Files.readAllBytes(Path.of(program.path()))),
                                X86_64.ARCHITECTURE.elfMachine())
                        .symbols()
                        .addressOf("saved")
                        .orElseThrow();
        int[] order = {X86_64.RBX, X86_64.RBP, X86_64.R12, X86_64.R13, X86_64.R14, X86_64.R15};
        for (int i = 0; i < order.length; i++) {
            registers.set(order[i], memory().readLong(saved + 8 * i));
        }
        return registers;
    }

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public int pid() {
        return (int) process.pid();
    }

    @Override
    public Memory memory() {
        return (address, to, offset, length) -> {
            try {
                mem.seek(address);
                mem.readFully(to, offset, length);
            } catch (IOException e) {
                throw new MemoryFault(address, length);
            }
        };
    }

    @Override
    public List<Mapping> mappings() throws IOException {
        mappingReads++;
        List<Mapping> found = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/maps"))) {
            String[] w = line.split("\\s+", 6);
            int dash = w[0].indexOf('-');
            found.add(new Mapping(
                    Long.parseUnsignedLong(w[0].substring(0, dash), 16),
                    Long.parseUnsignedLong(w[0].substring(dash + 1), 16),
                    w[1].charAt(0) == 'r',
                    w[1].charAt(1) == 'w',
                    w[1].charAt(2) == 'x',
                    Long.parseUnsignedLong(w[2], 16),
                    w[3],
                    Long.parseLong(w[4]),
                    w.length > 5 ? w[5] : ""));
        }
        return found;
    }

    @Override
    public List<TargetThread> threads() {
        return List.of();
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        if (refuseFiles) {
            throw new IOException(mapping.path() + " was replaced");
        }
        return fileAt(mapping.path());
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(path))) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        }
    }

    @Override
    public void close() {
        try {
            mem.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
