package mayfly.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.cli.help.Suggestion;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.cli.output.Text;
import mayfly.linux.proc.AvailableMemory;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureSummary;
import mayfly.report.Conversion;
import mayfly.report.Format;
import mayfly.report.HeapEstimate;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a capture to a format. It runs in this JVM if the heap is large enough, as for most captures;
 * otherwise, or if the heap becomes full despite the estimate, in a child JVM whose heap is as large as the capture
 * needs. The child is not started if there is too little memory.
 */
public final class Rendering {
    /**
     * Upper bound, in bytes, on captures that are converted in this JVM without an estimate of the heap; hardly any of
     * them needs more than the launcher's heap.
     */
    private static final long SMALL = 2 << 20;
    /** Lower bound on the ratio of the heap of a child JVM to the heap that was full. */
    private static final int LARGER = 2;
    /** Usable part of the heap; the rest is for the young generation and other data of the command. */
    private static final double USABLE = 0.85;
    /** Upper bound on the columns of an event's name in a message. */
    private static final int MAX_NAME = 60;
    /** Lower bound on the heap of a child JVM, in bytes. */
    private static final long MIN_HEAP = 64 << 20;

    private final Source source;
    private final Recording recording;
    private final List<String> warnings;
    /** The profile; null if the format does not need it in this JVM. */
    private final @Nullable Profile profile;
    /** The child JVM; null if the conversion runs in this JVM. */
    private @Nullable RenderingJvm jvm;

    private boolean stopped;

    /** The input of a conversion and the memory for it, in this JVM and in a child, in bytes. */
    private record Source(
            Path capture, String event, Format format, ConversionOptions options, long heap, AvailableMemory free) {

        CaptureSummary summary() throws IOException, BadCapture {
            try (InputStream in = Files.newInputStream(capture)) {
                return CaptureReader.summary(in);
            }
        }

        Rendering here() throws IOException, BadCapture, CommandFailed {
            try (InputStream in = Files.newInputStream(capture)) {
                Profile profile = CaptureReader.read(in, Conversion.detail(format), CaptureReader.ANY_REACH, event);
                return new Rendering(this, profile.recording(), profile.warnings(), profile, null);
            } catch (OutOfMemoryError e) {
                return larger(summary());
            }
        }

        /** Returns the conversion in a child JVM whose heap is larger than the heap of this JVM, which was full. */
        Rendering larger(CaptureSummary summary) throws CommandFailed {
            return inChild(summary, Math.max(LARGER * heap, needed(summary)));
        }

        long needed(CaptureSummary summary) {
            return HeapEstimate.bytes(summary, format, options);
        }

        Rendering inChild(CaptureSummary summary, long needed) throws CommandFailed {
            long wanted = Math.max(MIN_HEAP, needed);
            if (wanted + RenderingJvm.BESIDES_HEAP > free.bytes()) {
                throw Message.NOT_ENOUGH_MEMORY.with(
                        format.id(),
                        megabytes(wanted + RenderingJvm.BESIDES_HEAP),
                        megabytes(free.bytes()),
                        free.limit());
            }
            return new Rendering(
                    this,
                    summary.recording(),
                    summary.warnings(),
                    null,
                    new RenderingJvm(wanted, format, options, summary.reach(), event));
        }
    }

    private Rendering(
            Source source,
            Recording recording,
            List<String> warnings,
            @Nullable Profile profile,
            @Nullable RenderingJvm jvm) {
        this.source = source;
        this.recording = recording;
        this.warnings = warnings;
        this.profile = profile;
        this.jvm = jvm;
    }

    /**
     * Reads the part of the capture that must be known before any output is written.
     *
     * @param capture a path by which it can be opened again
     * @param event the name of the event to show, or {@link CaptureReader#FIRST_EVENT}; in that case an output
     *     that is a capture includes all events
     * @throws CommandFailed if it cannot be read or has no such event, or if there is too little memory for the format
     */
    public static Rendering of(Path capture, String event, Format format, ConversionOptions options)
            throws CommandFailed {
        long heap = Runtime.getRuntime().maxMemory();
        return of(capture, event, format, options, (long) (heap * USABLE), AvailableMemory.now(heap));
    }

    /**
     * @param heap upper bound on the memory of a conversion in this JVM, in bytes
     */
    static Rendering of(
            Path capture, String event, Format format, ConversionOptions options, long heap, AvailableMemory free)
            throws CommandFailed {
        var source = new Source(capture, event, format, options, heap, free);
        boolean first = event.equals(CaptureReader.FIRST_EVENT);
        try {
            // With threads, the tree has a separate part for each thread, so the size of the file says little.
            boolean small = Files.size(capture) <= SMALL && !options.threads();
            if (small && first && format != Format.CAPTURE) {
                return source.here();
            }
            CaptureSummary summary = source.summary();
            if (first && format == Format.CAPTURE) {
                return new Rendering(source, summary.recording(), summary.warnings(), null, null);
            }
            requireEvent(capture, event, summary.recording());
            long needed = source.needed(summary);
            return small || needed <= heap ? source.here() : source.inChild(summary, needed);
        } catch (IOException e) {
            throw Message.INPUT.with(capture, OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture, String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            throw Message.RENDERING.with(format.id(), fullHeap());
        }
    }

    private static void requireEvent(Path capture, String event, Recording recording) throws CommandFailed {
        List<String> names = recording.events().stream().map(SampledEvent::name).toList();
        if (!event.equals(CaptureReader.FIRST_EVENT) && !names.contains(event)) {
            String suggestion = Suggestion.of(event, names)
                    .map(name -> "did you mean " + shown(name) + "?\n")
                    .orElse("");
            throw Message.UNKNOWN_EVENT.withAdvice(suggestion + "its events: " + shown(names), capture, event);
        }
    }

    /** Returns a name for a message. It is untrusted: line feeds in it must not look like separate lines of advice. */
    private static String shown(String name) {
        return Text.cut(Text.printable(name), MAX_NAME);
    }

    private static String shown(List<String> names) {
        return names.stream().distinct().map(Rendering::shown).collect(Collectors.joining(", "));
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

    /**
     * Returns sentences about a chosen runtime that the recording does not have, and about the events that the output
     * leaves out, unless one was chosen; usually empty.
     */
    public List<String> notes() {
        return source.format == Format.CAPTURE
                ? List.of()
                : Stream.concat(missingRuntime().stream(), otherEvents().stream())
                        .toList();
    }

    private Optional<String> missingRuntime() {
        RuntimeId.Choice choice = source.options.runtime();
        List<RecordedRuntime> runtimes = recording.runtimes();
        if (choice == null || runtimes.stream().anyMatch(runtime -> choice.fits(runtime.id(), runtime.version()))) {
            return Optional.empty();
        }
        String those = runtimes.isEmpty()
                ? "none"
                : shown(runtimes.stream().map(RecordedRuntime::line).toList());
        return Optional.of("nothing is shown, because the recording has no runtime " + choice + "; it has " + those);
    }

    private List<String> otherEvents() {
        List<SampledEvent> events = recording.events();
        if (events.size() == 1 || !source.event.equals(CaptureReader.FIRST_EVENT)) {
            return List.of();
        }
        List<String> others = events.subList(1, events.size()).stream()
                .map(SampledEvent::name)
                .toList();
        return List.of("the event " + shown(events.getFirst().name()) + " is shown; --event NAME shows another: "
                + shown(others));
    }

    /** Returns the profile if it was read in this JVM. */
    public Optional<Profile> profile() {
        return Optional.ofNullable(profile);
    }

    /**
     * Writes the output.
     *
     * @throws RenderingFailed if the conversion fails for a reason other than the output
     * @throws IOException if the output cannot be written
     */
    public void writeTo(OutputStream out) throws IOException {
        RenderingJvm child = jvm();
        if (child != null) {
            child.run(source.capture, out);
        } else if (profile == null) {
            Files.copy(source.capture, out);
        } else {
            writeHere(profile, new BegunOutput(out));
        }
    }

    private void writeHere(Profile read, BegunOutput out) throws IOException {
        try {
            Conversion.write(read, source.format, source.options, out);
        } catch (OutOfMemoryError e) {
            if (out.hasBegun()) {
                throw new RenderingFailed(fullHeap(), e);
            }
            writeLarger(out);
        } catch (RuntimeException | StackOverflowError e) {
            throw new RenderingFailed("this is a defect in Mayfly: " + e, e);
        }
    }

    private void writeLarger(OutputStream out) throws IOException {
        RenderingJvm larger;
        try {
            larger = source.larger(source.summary()).jvm();
        } catch (BadCapture | CommandFailed | OutOfMemoryError e) {
            throw new RenderingFailed(fullHeap() + ", and a larger one is not possible: " + e.getMessage(), e);
        }
        synchronized (this) {
            jvm = larger;
            if (stopped) {
                stop();
            }
        }
        writeTo(out);
    }

    private synchronized @Nullable RenderingJvm jvm() {
        return jvm;
    }

    /** Ends the child JVM, if any. May be called from any thread. */
    public synchronized void stop() {
        stopped = true;
        if (jvm != null) {
            jvm.stop();
        }
    }
}
