package mayfly.cli.recording;

import java.nio.file.Path;
import java.time.Duration;
import mayfly.record.RecordingOptions;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * A recording that a command requests.
 *
 * @param options the options of the recording
 * @param view the presentation of the profile
 * @param output the output file; null for one in the current directory, with a name that does not exist yet
 * @param format the word for the output format; null if the suffix of the file selects it
 * @param quiet true to print only errors on standard error
 * @param json true to print the result as one JSON object
 */
public record RecordingRequest(
        RecordingOptions options,
        ConversionOptions view,
        @Nullable Path output,
        @Nullable String format,
        boolean quiet,
        boolean json) {

    /** Returns the same request for a part of the recording. */
    RecordingRequest of(Duration duration, Path file) {
        return new RecordingRequest(options.during(duration), view, file, format, quiet, json);
    }
}
