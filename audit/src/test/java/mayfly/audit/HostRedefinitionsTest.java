package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mayfly.wire.AnchorPage;
import org.junit.jupiter.api.Test;

/** The page by which hosts record the classes that they have redefined. */
class HostRedefinitionsTest {
    /** FNV-1a, by the definition of the hash. */
    private static int hash(String text) {
        long hash = 2166136261L;
        for (char each : text.toCharArray()) {
            hash = (hash ^ each) * 16777619L & 0xffffffffL;
        }
        return (int) hash;
    }

    private static ByteBuffer page(int count, int hashes) {
        return ByteBuffer.allocate(AnchorPage.SIZE)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(AnchorPage.REDEFINITIONS, count)
                .putInt(AnchorPage.HASH_COUNT, hashes);
    }

    /** Returns a page with a number of requests and one class. */
    static byte[] page(int count, String signature) {
        return page(count, 1).putInt(AnchorPage.HASHES, hash(signature)).array();
    }

    @Test
    void classesOfThePageAreKnownByTheHashOfTheirSignature() {
        HostRedefinitions redefinitions = new HostRedefinitions();
        redefinitions.add(page(3, "La;"));
        redefinitions.add(page(2, 0).array());
        assertThat(redefinitions.count()).isEqualTo(5);
        assertThat(redefinitions.contains("a")).isTrue();
        assertThat(redefinitions.contains("b")).isFalse();
    }

    @Test
    void fullOrMalformedPageMayHaveEachClass() {
        for (int hashes : new int[] {AnchorPage.MAX_HASHES + 1, Integer.MAX_VALUE, -1}) {
            HostRedefinitions redefinitions = new HostRedefinitions();
            redefinitions.add(page(-1, hashes).array());
            assertThat(redefinitions.contains("b")).isTrue();
            assertThat(redefinitions.count()).isZero();
        }
    }
}
