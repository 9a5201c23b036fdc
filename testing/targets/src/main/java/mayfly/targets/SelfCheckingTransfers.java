package mayfly.targets;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * Sends bytes through a pipe, more than it holds at once, and through a socket and back: no byte is lost or changed.
 */
final class SelfCheckingTransfers {
    /** More than a pipe holds, so that a write waits in the middle. */
    private static final int BLOCK_BYTES = 100_000;

    private static final int LIMIT_MILLIS = 20_000;

    private SelfCheckingTransfers() {}

    static void startAll() {
        try {
            startPipe(Pipe.open());
            startSocket();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void startPipe(Pipe pipe) {
        ByteBuffer out = ByteBuffer.allocateDirect(BLOCK_BYTES);
        CheckedStep.startSilent("pipe-write", n -> {
            Thread.sleep(5);
            out.clear();
            while (out.hasRemaining()) {
                out.put(byteAt(n, out.position()));
            }
            out.flip();
            while (out.hasRemaining()) {
                pipe.sink().write(out);
            }
        });
        ByteBuffer in = ByteBuffer.allocateDirect(BLOCK_BYTES);
        CheckedStep.start("pipe", n -> {
            in.clear();
            while (in.hasRemaining()) {
                CheckedStep.check(pipe.source().read(in) > 0, "the pipe ended in block " + n);
            }
            for (int i = 0; i < BLOCK_BYTES; i += 17) {
                CheckedStep.check(in.get(i) == byteAt(n, i), "byte " + i + " of block " + n);
            }
        });
    }

    private static byte byteAt(long block, int i) {
        return (byte) (block * 31 + i * 7L);
    }

    private static void startSocket() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket far = server.accept();
        server.close();
        near.setSoTimeout(LIMIT_MILLIS);
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        DataInputStream farIn = new DataInputStream(far.getInputStream());
        DataOutputStream farOut = new DataOutputStream(far.getOutputStream());
        CheckedStep.startSilent("socket-echo", n -> farOut.writeLong(farIn.readLong()));
        DataInputStream nearIn = new DataInputStream(near.getInputStream());
        DataOutputStream nearOut = new DataOutputStream(near.getOutputStream());
        CheckedStep.start("socket", n -> {
            Thread.sleep(1);
            nearOut.writeLong(n);
            CheckedStep.check(nearIn.readLong() == n, "echo of " + n);
        });
    }
}
