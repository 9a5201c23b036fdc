package mayfly.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.linux.proc.AvailableMemory;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureSummary;
import mayfly.report.Conversion;
import mayfly.report.Format;
import mayfly.report.HeapEstimate;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a capture to a format. It runs in this JVM if the heap is large enough, as for most captures;
 * otherwise in a child JVM whose heap is as large as the capture needs. The child is not started if there is too
 * little memory.
 */
public final class Rendering {
    /**
     * Upper bound, in bytes, on captures that are not counted first; hardly any of them needs more than the launcher's
     * heap.
     */
    private static final long SMALL = 2 << 20;
    /** Usable part of the heap; the rest is for the young generation and other data of the command. */
    private static final double USABLE = 0.85;
    /** Lower bound on the heap of a child JVM. */
    private static final long LEAST_HEAP = 64 << 20;

    private final Path capture;
    private final Format format;
    private final ConversionOptions options;
    private final Recording recording;
    private final List<String> warnings;
    /** The profile; null if the format does not need it in this JVM. */
    private final @Nullable Profile profile;
    /** The child JVM; null if the conversion runs in this JVM. */
    private final @Nullable RenderingJvm jvm;

    private Rendering(Path capture, Format format, ConversionOptions options, Recording recording, List<String> warnings,
            @Nullable Profile profile, @Nullable RenderingJvm jvm) {
        this.capture = capture;
        this.format = format;
        this.options = options;
        this.recording = recording;
        this.warnings = warnings;
        this.profile = profile;
        this.jvm = jvm;
    }

    /**
     * Reads as much of the capture as must be known before any output is written.
     *
     * @param capture a path by which it can be opened again
     * @throws CommandFailed if it cannot be read, or if there is too little memory for the format
     */
    public static Rendering of(Path capture, Format format, ConversionOptions options) throws CommandFailed {
        long heap = Runtime.getRuntime().maxMemory();
        return of(capture, format, options, (long) (heap * USABLE), AvailableMemory.now(heap));
    }

    /**
     * @param heap upper bound on the memory of a conversion in this JVM
     */
    static Rendering of(Path capture, Format format, ConversionOptions options, long heap, AvailableMemory free)
            throws CommandFailed {
        try {
            if (format != Format.CAPTURE && Files.size(capture) <= SMALL) {
                return here(capture, format, options);
            }
            CaptureSummary summary;
            try (InputStream in = Files.newInputStream(capture)) {
                summary = CaptureReader.summary(in);
            }
            if (format == Format.CAPTURE) {
                return new Rendering(capture, format, options, summary.recording(), summary.warnings(), null, null);
            }
            long needed = HeapEstimate.bytes(summary, format, options);
            if (needed <= heap) {
                return here(capture, format, options);
            }
            long wanted = Math.max(LEAST_HEAP, needed);
            if (wanted + RenderingJvm.BESIDES_HEAP > free.bytes()) {
                throw Message.NOT_ENOUGH_MEMORY.with(format.id(), megabytes(wanted + RenderingJvm.BESIDES_HEAP),
                        megabytes(free.bytes()), free.limit());
            }
            return new Rendering(capture, format, options, summary.recording(), summary.warnings(), null,
                    new RenderingJvm(wanted, format, options, summary.reach()));
        } catch (IOException e) {
            throw Message.INPUT.with(capture, OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture, String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            throw Message.RENDERING.with(format.id(), fullHeap());
        }
    }

    private static Rendering here(Path capture, Format format, ConversionOptions options) throws IOException, BadCapture {
        try (InputStream in = Files.newInputStream(capture)) {
            Profile profile = CaptureReader.read(in, Conversion.detail(format));
            return new Rendering(capture, format, options, profile.recording(), profile.warnings(), profile, null);
        }
    }

    private static long megabytes(long bytes) {
        return bytes + (1 << 20) - 1 >> 20;
    }

    private static String fullHeap() {
        return "the heap of " + megabytes(Runtime.getRuntime().maxMemory()) + " MB is full";
    }

    /** Returns the metadata of the recording. */
    public Recording recording() {
        return recording;
    }

    /** Returns defects of the capture, in sentences. */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns the profile if it was read in this JVM. */
    public Optional<Profile> profile() {
        return Optional.ofNullable(profile);
    }

    /**
     * Writes the output.
     *
     * @throws RenderingFailed if the conversion fails for another reason than the output
     * @throws IOException if the output cannot be written
     */
    public void writeTo(OutputStream out) throws IOException {
        if (jvm != null) {
            jvm.run(capture, out);
        } else if (profile == null) {
            Files.copy(capture, out);
        } else {
            writeHere(profile, out);
        }
    }

    private void writeHere(Profile read, OutputStream out) throws IOException {
        try {
            Conversion.write(read, format, options, out);
        } catch (OutOfMemoryError e) {
            throw new RenderingFailed(fullHeap(), e);
        } catch (RuntimeException | StackOverflowError e) {
            throw new RenderingFailed("this is a defect in Mayfly: " + e, e);
        }
    }

    /** Ends the child JVM, if any. May be called from any thread. */
    public void stop() {
        if (jvm != null) {
            jvm.stop();
        }
    }
}
