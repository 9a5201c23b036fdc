package mayfly.targets;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.SplittableRandom;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Operations that HotSpot performs in hand-written stubs: ciphers, digests, checksums, big integers, copies, strings
 * and sorting.
 */
final class StressIntrinsics implements Stress.Load {
    private static final int SIZE = 16 * 1024;
    private final byte[] plain = new byte[SIZE];
    private final SplittableRandom random = new SplittableRandom(7);
    private final SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    private byte nonce;

    StressIntrinsics() {
        for (int i = 0; i < SIZE; i++) {
            plain[i] = (byte) ('a' + random.nextInt(26));
        }
    }

    @Override
    public long round(int seed) throws GeneralSecurityException {
        return ciphers() + digests() + checksums() + integers() + copies() + strings() + sorting() + floats();
    }

    private long ciphers() throws GeneralSecurityException {
        Cipher cbc = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cbc.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[16]));
        byte[] closed = cbc.doFinal(plain);
        cbc.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(new byte[16]));
        byte[] opened = cbc.doFinal(closed);
        Cipher counter = Cipher.getInstance("AES/CTR/NoPadding");
        counter.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[16]));
        byte[] stream = counter.doFinal(plain);
        Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] iv = new byte[12];
        iv[0] = ++nonce;
        gcm.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
        return opened[0] + stream[1] + gcm.doFinal(plain)[2];
    }

    private long digests() throws GeneralSecurityException {
        long sum = 0;
        for (String name : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256"}) {
            sum += MessageDigest.getInstance(name).digest(plain)[0];
        }
        return sum;
    }

    private long checksums() {
        CRC32 crc = new CRC32();
        CRC32C castagnoli = new CRC32C();
        Adler32 adler = new Adler32();
        for (int i = 0; i < 20; i++) {
            crc.update(plain);
            castagnoli.update(plain);
            adler.update(plain);
        }
        return crc.getValue() + castagnoli.getValue() + adler.getValue();
    }

    private long integers() {
        BigInteger a = new BigInteger(1, Arrays.copyOf(plain, 128));
        BigInteger odd = a.setBit(0);
        BigInteger product = a.multiply(odd).pow(2);
        return product.mod(odd).bitLength()
                + a.modPow(BigInteger.valueOf(65_537), odd).bitLength();
    }

    private long copies() {
        byte[] bytes = new byte[SIZE];
        long[] longs = new long[1024];
        Object[] objects = new Object[1024];
        long sum = 0;
        for (int i = 0; i < 100; i++) {
            System.arraycopy(plain, i, bytes, 0, SIZE - 100);
            System.arraycopy(bytes, 0, bytes, i + 1, SIZE - 200);
            Arrays.fill(longs, i);
            System.arraycopy(longs, 0, longs, 3, 1000);
            System.arraycopy(objects, 0, objects, 1, 1000);
            sum += Arrays.mismatch(plain, bytes) + Arrays.hashCode(bytes) + longs.clone()[5];
        }
        return sum;
    }

    private long strings() {
        String text = new String(plain, StandardCharsets.ISO_8859_1);
        String wide = text.substring(0, 2000) + '\u20ac';
        long sum = 0;
        for (int i = 0; i < 30; i++) {
            String part = text.substring(SIZE - 200 - i, SIZE - 180 - i);
            sum += text.indexOf(part) + text.lastIndexOf(part) + wide.indexOf("\u20ac") + text.indexOf('!');
            sum += text.compareTo(text.substring(0, SIZE - i)) + (text.equals(text.concat("")) ? 1 : 0);
            sum += wide.getBytes(StandardCharsets.UTF_8).length
                    + text.toUpperCase(java.util.Locale.ROOT).length();
            sum += wide.equalsIgnoreCase(text) ? 1 : 0;
            sum += new StringBuilder(part)
                    .append(i)
                    .append(wide, 0, 50)
                    .reverse()
                    .toString()
                    .hashCode();
        }
        byte[] coded = Base64.getEncoder().encode(plain);
        return sum + Base64.getDecoder().decode(coded).length;
    }

    private long sorting() {
        int[] ints = random.ints(4_000).toArray();
        double[] doubles = random.doubles(2_000).toArray();
        Integer[] boxed = Arrays.stream(ints).limit(1_000).boxed().toArray(Integer[]::new);
        Arrays.sort(ints);
        Arrays.sort(doubles);
        Arrays.sort(boxed, (a, b) -> Integer.compare(b, a));
        return ints[0] + boxed[0] + (long) doubles[0];
    }

    private static long floats() {
        double sum = 0;
        for (int i = 1; i < 5_000; i++) {
            sum += Math.sin(i) + Math.cos(i) + Math.tan(i) + Math.exp(1.0 / i) + Math.log(i) + Math.pow(i, 0.3);
            sum += (float) sum % 1.7f;
        }
        return (long) sum;
    }
}
