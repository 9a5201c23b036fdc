package mayfly.profile;

import static mayfly.profile.WrittenCaptures.KERNEL;
import static mayfly.profile.WrittenCaptures.LOOP;
import static mayfly.profile.WrittenCaptures.R1;
import static mayfly.profile.WrittenCaptures.RUN;
import static mayfly.profile.WrittenCaptures.STUB;
import static mayfly.profile.WrittenCaptures.again;
import static mayfly.profile.WrittenCaptures.capture;
import static mayfly.profile.WrittenCaptures.ledger;
import static mayfly.profile.WrittenCaptures.read;
import static mayfly.profile.WrittenCaptures.recording;
import static mayfly.profile.WrittenCaptures.severalEvents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture is read back as it was written. */
class CaptureTest {
    @Test
    void captureIsReadableByTheOwnerOnly(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.mayfly");
        CaptureWriter.create(file, recording()).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Path there = Files.createFile(folder.resolve("y.mayfly"));
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rw-r--r--"));
        CaptureWriter.create(there, recording()).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(there)))
                .isEqualTo("rw-------");
    }

    @Test
    void certaintyOfAFrameIsReadBack() throws Exception {
        var out = new ByteArrayOutputStream();
        var table = new StackTable();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            int stack = StackTable.NO_FRAMES;
            for (Frame.Certainty certainty : Frame.Certainty.values()) {
                stack = table.stack(
                        stack,
                        table.frame(new Frame.Managed(
                                R1, "java", "inlined", "", "a.Main", "run", "()V", 3, 17, "", certainty)));
            }
            writer.append(table);
            int main = writer.thread(43, 1234, 5_000_000_100L, "main");
            writer.sample(0, 5_010_000_000L, main, stack, 10_101_010, WalkOutcome.COMPLETE);
            writer.ledger(Ledger.builder("perf", 99)
                    .count(WalkOutcome.COMPLETE, 1)
                    .addInferredLeaves(1)
                    .build());
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.stack(0).frames())
                .extracting(frame -> ((Frame.Managed) frame).certainty())
                .containsExactly(Frame.Certainty.values());
        assertThat(profile.ledger().inferredLeaves()).isEqualTo(1);
    }

    @Test
    void captureIsReadBackAsWritten() throws Exception {
        Profile profile = read(capture());
        assertThat(profile.recording()).isEqualTo(recording());
        assertThat(profile.ledger()).isEqualTo(ledger());
        assertThat(profile.warnings()).isEmpty();
        assertThat(profile.threads())
                .containsExactly(new SampledThread(
                        43,
                        1234,
                        List.of(
                                new SampledThread.Name(5_000_000_100L, "main"),
                                new SampledThread.Name(5_020_000_000L, "main2"))));
        var memcpy = new Frame.Native("libc.so.6", 0xFFFF_FFFF_8000_0000L, "memcpy", false);
        assertThat(profile.stack(0)).isEqualTo(new Stack(List.of(RUN), WalkOutcome.COMPLETE));
        assertThat(profile.stack(1)).isEqualTo(new Stack(List.of(RUN, STUB, memcpy), WalkOutcome.NO_CFI));
        assertThat(profile.stack(2)).isEqualTo(new Stack(List.of(RUN, LOOP, KERNEL), WalkOutcome.TRUNCATED));
        assertThat(profile.sample(1)).isEqualTo(new Sample(5_009_000_000L, 0, 3, 10_101_010, WalkOutcome.NO_CFI));
    }

    /** Files of this version exist. A different checksum means that the format has changed. */
    @Test
    void writtenBytesAreThoseOfVersionTwo() throws Exception {
        assertThat(sha256(capture())).isEqualTo("66f271f53ec27f01cac4899ac5c326e30a332f1a217c9e38296173620f080432");
        assertThat(sha256(severalEvents()))
                .isEqualTo("e57b51506193d29150b5989914984985918b98179e30861aa9e5317934c29138");
    }

    private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void fullDiskFailsEveryLaterWrite() throws Exception {
        var full = new WritableByteChannel() {
            private int room = 1000;

            @Override
            public int write(ByteBuffer from) throws IOException {
                if (from.remaining() > room) {
                    throw new IOException("No space left on device");
                }
                int count = from.remaining();
                room -= count;
                from.position(from.limit());
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        try (var writer = new CaptureWriter(full, recording())) {
            writer.thread(1, 0, 0, "x".repeat(2000));
            assertThatThrownBy(writer::flush)
                    .isInstanceOf(CaptureWriteException.class)
                    .hasMessage("No space left on device");
            assertThatThrownBy(() -> writer.sample(0, 0, 0, 0, 1, WalkOutcome.COMPLETE))
                    .isInstanceOf(CaptureWriteException.class);
        }
    }

    @Test
    void longNameIsTruncatedAtACharacter() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            for (int i = 0; i < 8; i++) {
                writer.thread(1, 0, 0, "a".repeat(i) + "é€".repeat(40_000));
            }
        }
        for (SampledThread thread : read(out.toByteArray()).threads()) {
            assertThat(thread.name()).endsWith("…").doesNotContain("\uFFFD").hasSizeGreaterThan(6000);
        }
    }

    @Test
    void manyBlocksKeepTheirOrder() throws Exception {
        var out = new ByteArrayOutputStream();
        var random = new SplittableRandom(1);
        var table = new StackTable();
        int count = 50_000;
        int[] stacks = new int[count];
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < count; i++) {
                int stack = 0;
                for (int depth = random.nextInt(1, 6); depth > 0; depth--) {
                    stack = table.stack(stack, table.frame(new Frame.Stub(R1, "s" + random.nextInt(30))));
                }
                stacks[i] = stack;
                writer.append(table);
                writer.sample(0, i * 1000L, 0, stack, -i, WalkOutcome.values()[i % 15]);
            }
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.sampleCount()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            assertThat(profile.sample(i))
                    .isEqualTo(new Sample(i * 1000L, 0, stacks[i], -i, WalkOutcome.values()[i % 15]));
        }
        assertThat(again(profile).stackCount()).isEqualTo(table.stackCount());
    }

    @Test
    void forgottenFramesAndStringsAreWrittenAgain() throws Exception {
        var table = new StackTable();
        int samples = StackTable.MAX_FRAMES * 5 / 4;
        var out = new ByteArrayOutputStream();
        long otherStrings;
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            writer.flush();
            otherStrings = strings(out);
            for (int i = 0; i < samples; i++) {
                int stack = table.intern(generated(i), 2);
                writer.append(table);
                writer.sample(0, i, 0, stack, 1, WalkOutcome.COMPLETE);
                if (table.isFull()) {
                    table.forget();
                }
            }
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.sampleCount()).isEqualTo(samples);
        for (int i = 0; i < samples; i++) {
            assertThat(profile.stack(i).frames())
                    .isEqualTo(Arrays.asList(generated(i)).reversed());
        }
        assertThat(profile.frames().stream().filter(generated(0)[1]::equals)).hasSize(2);
        assertThat(strings(out) - otherStrings)
                .as("the name of the root occurs twice")
                .isEqualTo(samples + 2);
    }

    private static long strings(ByteArrayOutputStream capture) throws Exception {
        return CaptureReader.summary(new ByteArrayInputStream(capture.toByteArray()))
                .strings();
    }

    /** A stack whose leaf has a name of its own. */
    private static Frame[] generated(int number) {
        return new Frame[] {new Frame.Stub(R1, "s" + number), new Frame.Stub(R1, "root")};
    }

    @Test
    void evictedStacksAreWrittenAgain() throws Exception {
        var frames = new Frame[300];
        Arrays.setAll(frames, i -> new Frame.Stub(R1, "s" + i));
        var table = new StackTable();
        int samples = StackTable.MAX_STACKS / 2 * 3; // every eighth sample has the same stack, the others have new ones
        var out = new ByteArrayOutputStream();
        int first = 0;
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < samples; i++) {
                int stack = table.intern(leafFirst(frames, i), 3);
                writer.append(table);
                writer.sample(0, i, 0, stack, 1, WalkOutcome.COMPLETE);
                first = i == 0 ? stack : first;
            }
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.sampleCount()).isEqualTo(samples);
        for (int i = 0; i < samples; i++) {
            assertThat(profile.stack(i).frames())
                    .isEqualTo(Arrays.asList(leafFirst(frames, i)).reversed());
        }
        assertThat(profile.stackOf(8)).isEqualTo(first);
        assertThat(profile.stackOf(samples - 8))
                .as("the repeated stack has a new id")
                .isGreaterThan(StackTable.MAX_STACKS)
                .isEqualTo(profile.stackOf(samples - 16));
    }

    private static Frame[] leafFirst(Frame[] frames, int i) {
        int n = i % 8 == 0 ? 0 : i;
        return new Frame[] {frames[n % 300], frames[n / 300 % 300], frames[n / 90_000]};
    }
}
