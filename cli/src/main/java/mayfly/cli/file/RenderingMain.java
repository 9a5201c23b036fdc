package mayfly.cli.file;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Interrupts;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import mayfly.profile.capture.CaptureReader;
import mayfly.report.Conversion;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a {@link RenderingJvm}: converts the capture on standard input, writes to standard output, and
 * exits with 0, or with a reason on standard error. It exits when the process that started it ends.
 */
final class RenderingMain {
    private static final int BUFFER = 1 << 16;

    private RenderingMain() {}

    /**
     * Returns the arguments of {@link #main}.
     *
     * @param reach the value in the capture's summary
     * @param event the name of the event, or {@link CaptureReader#FIRST_EVENT}
     */
    static List<String> arguments(Format format, ConversionOptions options, int reach, String event) {
        RuntimeId.Choice runtime = options.runtime();
        return List.of(
                format.id(),
                Boolean.toString(options.threads()),
                Boolean.toString(options.natives()),
                Boolean.toString(options.lines()),
                Boolean.toString(options.signatures()),
                runtime == null ? "" : runtime.words(),
                Integer.toString(reach),
                event);
    }

    /**
     * @param args as returned by {@link #arguments}
     */
    public static void main(String[] args) {
        // The terminal sends Ctrl-C to both processes: the command handles it, and ends this process if necessary.
        var _ = Interrupts.ignore();
        ProcessHandle.current()
                .parent()
                .ifPresent(command ->
                        command.onExit().thenRun(() -> Runtime.getRuntime().halt(ExitCode.FAILED.code())));
        String failure = render(args);
        if (failure != null) {
            System.err.println(failure);
            System.err.flush();
        }
        Runtime.getRuntime().halt(failure == null ? ExitCode.DONE.code() : ExitCode.FAILED.code());
    }

    private static @Nullable String render(String[] args) {
        Format format = Format.ofId(args[0]).orElseThrow();
        var options = new ConversionOptions(
                Boolean.parseBoolean(args[1]),
                Boolean.parseBoolean(args[2]),
                Boolean.parseBoolean(args[3]),
                Boolean.parseBoolean(args[4]),
                args[5].isEmpty() ? null : new RuntimeId.Choice(args[5]));
        // Not closed: the JDK replaces a closed standard stream by /dev/null, which may be missing in a container.
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER);
        try {
            Profile profile =
                    CaptureReader.read(System.in, Conversion.detail(format), Integer.parseInt(args[6]), args[7]);
            Conversion.write(profile, format, options, out);
            out.flush();
            return null;
        } catch (IOException e) {
            return OutputFile.reason(e);
        } catch (BadCapture e) {
            return String.valueOf(e.getMessage());
        } catch (OutOfMemoryError e) {
            return "a heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MB was not enough";
        } catch (RuntimeException | StackOverflowError e) {
            return "this is a defect in Mayfly: " + e;
        }
    }
}
