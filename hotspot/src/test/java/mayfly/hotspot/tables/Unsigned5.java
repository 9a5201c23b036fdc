package mayfly.hotspot.tables;

import java.io.ByteArrayOutputStream;

/**
 * Writes UNSIGNED5 as the VM defines it (unsigned5.hpp): with X excluded byte values, H = 64 and L = 256 − X − H, a
 * number n below L is the byte X + n; any other is the byte X + L + (n − L) mod H, followed by the encoding of
 * (n − L) / H. The fifth byte is always the last.
 */
public final class Unsigned5 {
    private static final int H = 64;

    private Unsigned5() {}

    public static byte[] encode(int number, int excluded) {
        long l = 256 - excluded - H;
        long sum = number & 0xffff_ffffL;
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < 4 && sum >= l; i++) {
            sum -= l;
            out.write((int) (excluded + l + sum % H));
            sum /= H;
        }
        out.write((int) (excluded + sum));
        return out.toByteArray();
    }

    /** Encodes a signed number. Signed numbers are folded: 0, −1, 1, −2, 2, … */
    public static byte[] encodeSigned(int number, int excluded) {
        return encode(number << 1 ^ number >> 31, excluded);
    }

    public static byte[] join(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
