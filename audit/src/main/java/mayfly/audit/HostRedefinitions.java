package mayfly.audit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import mayfly.wire.AnchorPage;

/**
 * The redefinitions of the classes of a JVM by hosts, which the page of the anchor records. The JVM marks redefined
 * classes and counts the requests, and takes neither back when a class is restored.
 */
final class HostRedefinitions {
    private static final int FNV_BASIS = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    private final Set<Integer> hashes = new HashSet<>();
    private long count;
    /** True if hosts have redefined more classes than the page has places for. */
    private boolean more;

    /** @param page the bytes of a page of a target: every number in it is untrusted */
    void add(byte[] page) {
        ByteBuffer in = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
        count += Math.max(0, in.getInt(AnchorPage.REDEFINITIONS));
        int places = in.getInt(AnchorPage.HASH_COUNT);
        more |= places > AnchorPage.MAX_HASHES || places < 0;
        for (int i = 0; i < Math.min(places, AnchorPage.MAX_HASHES); i++) {
            hashes.add(in.getInt(AnchorPage.HASHES + Integer.BYTES * i));
        }
    }

    /** The number of requests. */
    long count() {
        return count;
    }

    /** Returns true if a host has redefined a class of this name, or may have. */
    boolean contains(String className) {
        return more || hashes.contains(hash('L' + className.replace('.', '/') + ';'));
    }

    private static int hash(String signature) {
        int hash = FNV_BASIS;
        for (byte each : signature.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
