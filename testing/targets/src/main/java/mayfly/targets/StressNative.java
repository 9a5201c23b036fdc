package mayfly.targets;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Native methods of the JDK: zlib, files, clocks, cloning and interning. */
final class StressNative implements Stress.Load {
    private final byte[] plain = new byte[32 * 1024];
    private final byte[] packed = new byte[64 * 1024];
    /** Open without a name, so that no file is left however the program ends. */
    private final RandomAccessFile file;

    StressNative() {
        for (int i = 0; i < plain.length; i++) {
            plain[i] = (byte) (i * 7 % 61 + i / 1000);
        }
        try {
            Path named = Files.createTempFile("stress", ".dat");
            file = new RandomAccessFile(named.toFile(), "rw");
            Files.delete(named);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long round(int seed) throws IOException, DataFormatException {
        return zlib() + files() + small(seed);
    }

    private long zlib() throws DataFormatException {
        Deflater deflater = new Deflater();
        Inflater inflater = new Inflater();
        try {
            deflater.setInput(plain);
            deflater.finish();
            int length = deflater.deflate(packed);
            inflater.setInput(packed, 0, length);
            return inflater.inflate(new byte[plain.length]);
        } finally {
            deflater.end();
            inflater.end();
        }
    }

    private long files() throws IOException {
        long sum = 0;
        for (int i = 0; i < 50; i++) {
            file.seek(i * 16L);
            file.write(plain, i, 200);
            file.seek(0);
            sum += file.read();
        }
        FileChannel channel = file.getChannel();
        ByteBuffer direct = ByteBuffer.allocateDirect(4096);
        for (int i = 0; i < 20; i++) {
            direct.clear();
            channel.write(direct, i * 4096L);
            direct.clear();
            sum += channel.read(direct, 0);
        }
        return sum + channel.size();
    }

    private static long small(int seed) {
        long sum = System.nanoTime() + System.currentTimeMillis();
        int[] array = {seed, 2, 3};
        for (int i = 0; i < 2_000; i++) {
            sum += array.clone()[0] + System.identityHashCode(new Object());
            if (i % 100 == 0) {
                sum += ("interned" + i % 50).intern().length()
                        + Thread.currentThread().getStackTrace().length;
            }
        }
        return sum;
    }
}
