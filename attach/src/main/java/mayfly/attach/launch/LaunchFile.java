package mayfly.attach.launch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachPayload;
import mayfly.attach.client.HostFiles;
import mayfly.attach.client.ProfilerJar;
import mayfly.attach.client.ProfilerJar.Scheme;
import mayfly.attach.client.SupportedJava;
import mayfly.wire.launch.LaunchFileFormat;
import mayfly.wire.launch.LaunchFlag;
import mayfly.wire.launch.LaunchOffset;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachSize;

/** The content of a launch file: the host's library and the parameters of the host; docs/formats/launch-file.md. */
public final class LaunchFile {
    private static final byte[] MAGIC = LaunchFileFormat.MAGIC.getBytes(StandardCharsets.US_ASCII);
    /** The checksum covers everything after it. */
    private static final int CHECKED_FROM = LaunchOffset.FLAGS;

    private LaunchFile() {}

    /**
     * Returns the content for a request.
     *
     * @param inherited true if JVMs started by the JVM also get the profiler
     */
    static byte[] of(LaunchRequest request, boolean inherited) throws IOException, AttachFailed {
        // The version of the JVM that will run the profiler is not known yet. If it is too old for the classes, the JVM
        // reports an error when it starts.
        ProfilerJar jar = ProfilerJar.read(request.jar(), request.className(), request.api(), SupportedJava.NEWEST);
        if (jar.scheme() == Scheme.ONE && request.features().size() > 1) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the profiler is for one JVM of a process (Mayfly-Runtimes: one): --java chooses one version");
        }
        int flags = AttachFlag.AT_LAUNCH
                | (request.accepted().contains(Acceptance.LASTING_COST) ? AttachFlag.LASTING_COST : 0)
                | (jar.scheme() == Scheme.FIRST ? AttachFlag.FIRST_ONLY : 0);
        byte[][] attach = AttachPayload.of(
                new byte[AttachSize.REQUEST],
                0,
                flags,
                jar,
                Optional.empty(),
                AttachPayload.UNKNOWN_RUNTIME,
                AttachPayload.NO_LOG);
        // A JVM that takes the variable back takes it from the JVMs that start later in its process.
        boolean isKept =
                inherited || jar.scheme() == Scheme.MANY || !request.features().isEmpty();
        int launchFlags = (isKept ? LaunchFlag.KEEP_VARIABLE : 0)
                | (jar.events().contains(Event.EXCEPTIONS) ? LaunchFlag.EXCEPTIONS : 0)
                | (request.accepted().contains(Acceptance.REMAINING_CLASSES) ? LaunchFlag.REMAINING_CLASSES : 0)
                | (request.features().isEmpty() ? 0 : LaunchFlag.CHOSEN_VERSIONS);
        return of(launchFlags, request.timeout().toNanos(), versions(request.features()), HostFiles.library(), attach);
    }

    /** Returns a bit for each of the versions, or for each that can host a profiler if there are none. */
    private static long versions(Set<Integer> chosen) {
        long bits = 0;
        for (int version = SupportedJava.OLDEST; version <= SupportedJava.NEWEST; version++) {
            bits |= chosen.isEmpty() || chosen.contains(version) ? 1L << version : 0;
        }
        return bits;
    }

    /**
     * Returns the content composed of the given parts.
     *
     * @param versions bit N is set if a JVM of Java N gets the profiler
     */
    public static byte[] of(int flags, long limitNanos, long versions, byte[] library, byte[]... attach) {
        int length = 0;
        for (byte[] part : attach) {
            length += part.length;
        }
        ByteBuffer out = ByteBuffer.allocate(LaunchOffset.LIBRARY + library.length + 4 + length)
                .order(ByteOrder.LITTLE_ENDIAN);
        out.put(LaunchOffset.MAGIC, MAGIC).putInt(LaunchOffset.FLAGS, flags).putLong(LaunchOffset.LIMIT, limitNanos);
        out.putLong(LaunchOffset.VERSIONS, versions);
        out.putInt(LaunchOffset.LIBRARY_LENGTH, library.length);
        out.position(LaunchOffset.LIBRARY).put(library).putInt(length);
        for (byte[] part : attach) {
            out.put(part);
        }
        CRC32 checksum = new CRC32();
        checksum.update(out.array(), CHECKED_FROM, out.capacity() - CHECKED_FROM);
        return out.putInt(LaunchOffset.CHECKSUM, (int) checksum.getValue()).array();
    }
}
