/**
 * The capture format, docs/formats/capture.md: {@code CaptureWriter} writes a capture while it is recorded, {@code
 * CaptureReader} reads one to a profile of one event or to a summary, {@code CaptureTail} follows one that is written.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture;
