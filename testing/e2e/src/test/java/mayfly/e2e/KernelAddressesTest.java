package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPInputStream;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernel addresses begin with 17 set bits. They reveal the kernel's random base address. */
class KernelAddressesTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(120));
    private static final int PREFIX_BITS = 17;
    private static final String[] NAMES = {"k.mayfly", "k.html", "k.collapsed", "k.pb.gz", "k.speedscope.json", "k.txt"
    };

    @TempDir
    private Path folder;

    @Test
    void kernelAddressesAreInNoOutputFormat() throws Exception {
        assumeTrue(
                Files.readString(Path.of("/proc/kallsyms"))
                        .lines()
                        .findFirst()
                        .filter(line -> !line.startsWith("0000000000000000"))
                        .isPresent(),
                "the kernel hides its addresses");
        Path capture = folder.resolve(NAMES[0]);
        try (Jvm jvm = Jvm.run("Churn").start()) {
            run("record", "--kernel", "-d", "2s", "-F", "499", "-o", capture.toString(), Long.toString(jvm.pid()));
        }
        for (String name : NAMES) {
            Path file = folder.resolve(name);
            if (!file.equals(capture)) {
                run("convert", capture.toString(), file.toString());
            }
            assertThat(kernelAddress(bytes(file)))
                    .as("where %s has an address of the kernel", name)
                    .isEqualTo(-1);
        }
        String stacks = Files.readString(folder.resolve("k.collapsed"));
        assumeTrue(stacks.contains("_[k]"), "no kernel frame was sampled");
        assertThat(stacks).contains("do_syscall_64_[k]");
    }

    private static void run(String... arguments) {
        Command done = CommandLine.run(arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
    }

    private static byte[] bytes(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (!file.toString().endsWith(".gz")) {
            return bytes;
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        }
    }

    /** Returns the offset of a kernel address, as a varint of ten bytes or in text; -1 if there is none. */
    private static int kernelAddress(byte[] bytes) {
        int text = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("ffffffff8");
        if (text >= 0) {
            return text;
        }
        for (int at = 0; at + 10 <= bytes.length; at++) {
            if (isVarint(bytes, at) && isKernels(varint(bytes, at))) {
                return at;
            }
        }
        return -1;
    }

    private static boolean isKernels(long number) {
        return number >> 64 - PREFIX_BITS == -1;
    }

    private static boolean isVarint(byte[] bytes, int at) {
        for (int i = 0; i < 9; i++) {
            if (bytes[at + i] >= 0) {
                return false;
            }
        }
        return bytes[at + 9] == 1;
    }

    private static long varint(byte[] bytes, int at) {
        long number = 0;
        for (int i = 0; i < 10; i++) {
            number |= (bytes[at + i] & 0x7fL) << 7 * i;
        }
        return number;
    }
}
