package mayfly.attach;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;

/** The content of a launch file: the host's library, and what the host is told; docs/formats/launch-file.md. */
final class LaunchFile {
    private static final byte[] MAGIC = "MAYFLYL1".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKED_FROM = 12;
    private static final int HEAD = 36;
    private static final int KEEP_VARIABLE = 1;
    private static final int DORMANT = 2;

    private LaunchFile() {
    }

    /** @param inherited whether JVMs that are started by the JVM shall have the profiler too */
    static byte[] of(LaunchRequest request, boolean inherited) throws IOException, AttachFailed {
        // Which Java will run it is not known yet; the JVM says so if its own is too old for the classes.
        ProfilerJar jar = ProfilerJar.read(request.jar(), request.className(), TargetJvm.NEWEST);
        int flags = AttachPayload.FLAG_AT_LAUNCH | (request.acceptLastingCost() ? AttachPayload.FLAG_LASTING_COST : 0);
        byte[][] attach = AttachPayload.of(new byte[AttachPayload.ID], 0, flags, jar, Optional.empty(),
                AttachPayload.UNKNOWN_RUNTIME, AttachPayload.NO_LOG);
        byte[] library = HostFiles.library();
        int length = 0;
        for (byte[] part : attach) {
            length += part.length;
        }
        ByteBuffer out = ByteBuffer.allocate(HEAD + library.length + 4 + length).order(ByteOrder.LITTLE_ENDIAN);
        out.put(MAGIC).putInt(0).putInt((inherited ? KEEP_VARIABLE : 0) | (request.acceptDormant() ? DORMANT : 0))
                .putLong(request.timeout().toNanos());
        out.putInt(TargetJvm.OLDEST).putInt(TargetJvm.NEWEST).putInt(library.length).put(library).putInt(length);
        for (byte[] part : attach) {
            out.put(part);
        }
        CRC32 checksum = new CRC32();
        checksum.update(out.array(), CHECKED_FROM, out.capacity() - CHECKED_FROM);
        return out.putInt(8, (int) checksum.getValue()).array();
    }
}
