/**
 * A recording, from its options to the finished file, for all commands that record.
 *
 * <p>Parsed options and a way to open the session come in; a {@link RecordingResult} goes out. Start reading at {@link
 * RecordingFlow}: it checks the arguments, opens the session of {@link mayfly.record}, shows the progress, handles
 * Ctrl-C, and converts the capture to the format that the user wants, by {@link mayfly.cli.file.Rendering}. {@link
 * mayfly.cli.file.OutputFile} and {@link mayfly.cli.file.CaptureFile} are the files.
 *
 * <p>A recording must not be lost: if it fails or is aborted, or if the file cannot be created from it, the capture is
 * kept, and the message gives its path and the command to try again. Exactly one thread reports the end of the command,
 * also if a second Ctrl-C arrives meanwhile.
 */
@org.jspecify.annotations.NullMarked
package mayfly.cli.recording;
