/**
 * The capture format, docs/formats/capture.md.
 *
 * <p>{@code CaptureWriter} writes a capture during the recording. {@code CaptureReader} reads one into a profile of one
 * event or into a summary. {@code CaptureTail} follows one that is being written.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture;
