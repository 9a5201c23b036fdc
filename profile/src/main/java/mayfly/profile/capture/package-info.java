/**
 * The capture format, which docs/formats/capture.md defines: a file of records that is only ever appended to.
 *
 * <p>{@link CaptureWriter} writes a capture during the recording: frames, stacks, threads and samples come in, and
 * blocks of records with a checksum go out. {@link CaptureReader} reads a capture into a {@link mayfly.profile.Profile}
 * of one event, or into a {@link CaptureSummary} in bounded memory. {@link CaptureTail} follows a capture that is being
 * written. The packages {@code writers} and {@code records} have one class for each group of records.
 *
 * <p>Flushed data remains readable even if the recording is killed. A reader does not trust the bytes: it returns the
 * part before the damage, with a warning, and throws a {@link mayfly.profile.BadCapture} if the header or the metadata
 * cannot be read. A record refers only to earlier records. A reader skips types and fields that it does not know.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture;
