package mayfly.targets;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;

/** Threads that wait in the kernel for bytes, connections or another process. */
final class BlockedInIo {
    private BlockedInIo() {}

    static void start() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        ServerSocket server = new ServerSocket(0, 5, loopback);
        ServerSocket quiet = new ServerSocket(0, 5, loopback);
        Blocked.start("accept", quiet::accept);
        Blocked.start("socket-read", () -> {
            try (Socket client = new Socket(loopback, server.getLocalPort())) {
                Work.sink = client.getInputStream().read();
            }
        });
        Blocked.start("socket-read-timed", () -> {
            try (Socket client = new Socket(loopback, server.getLocalPort())) {
                client.setSoTimeout(100_000_000);
                Work.sink = client.getInputStream().read();
            }
        });
        Blocked.start("channel-accept", () -> {
            try (ServerSocketChannel channel = ServerSocketChannel.open()) {
                channel.bind(new InetSocketAddress(loopback, 0)).accept();
            }
        });
        Blocked.start("datagram", () -> {
            try (DatagramSocket socket = new DatagramSocket(0, loopback)) {
                socket.receive(new DatagramPacket(new byte[10], 10));
            }
        });
        Blocked.start("select", () -> Selector.open().select());
        Blocked.start("select-timed", () -> Selector.open().select(100_000_000));
        Blocked.start("pipe-read", () -> Pipe.open().source().read(ByteBuffer.allocateDirect(8)));
        PipedOutputStream writer = new PipedOutputStream();
        PipedInputStream reader = new PipedInputStream(writer);
        Blocked.start("piped-stream", () -> {
            Work.sink = reader.read() + writer.hashCode();
        });
        // The jspawnhelper of a JDK that was unpacked beside an older libc does not run.
        System.setProperty("jdk.lang.Process.launchMechanism", "VFORK");
        // cat ends with this process, because its standard input then closes.
        Process cat = new ProcessBuilder("cat").start();
        Blocked.start("process-wait", cat::waitFor);
        Blocked.start("process-read", () -> Work.sink = cat.getInputStream().read());
    }
}
