package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait in five ways, and measure each wait by their own clock. {@code run N FACTOR} lets a thread named
 * {@code waits-KIND} wait N times in each way, for 12 to 20 ms times the factor, and answers, when all have ended, with
 * the sum for each site in nanoseconds: {@code SITE=NANOS ...}. Each site is a method. The sites are {@code lock},
 * {@code park}, {@code sleep}, {@code socket} and {@code file}, and {@code turn}, in which the thread of {@code lock}
 * waits for its opponent.
 */
public final class MeasuredWaits {
    private static final Map<String, Long> sums = new ConcurrentHashMap<>();
    private static final Object monitor = new Object();
    /** A millisecond times the factor, ns. */
    private static volatile long millis;

    /** An action that waits. */
    interface Wait {
        void once() throws Exception;
    }

    private MeasuredWaits() {}

    public static void main(String[] args) {
        LineProtocol.untilExit("waits", line -> {
            String[] words = line.split(" ");
            millis = 1_000_000L * Integer.parseInt(words[2]);
            return run(Integer.parseInt(words[1]));
        });
    }

    private static String run(int times) {
        sums.clear();
        try {
            Thread[] threads = {
                start("lock", lockTurns(times), times),
                start("park", MeasuredWaits::park, times),
                start("sleep", MeasuredWaits::sleep, times),
                start("socket", socketTurns(times), times),
                start("file", fileTurns(times), times)
            };
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (IOException | InterruptedException e) {
            return e.toString();
        }
        StringBuilder answer = new StringBuilder();
        new TreeMap<>(sums)
                .forEach((site, nanos) ->
                        answer.append(site).append('=').append(nanos).append(' '));
        return answer.toString().trim();
    }

    private static Thread start(String kind, Wait wait, int times) {
        return LineProtocol.start("waits-" + kind, () -> {
            try {
                for (int i = 0; i < times; i++) {
                    wait.once();
                }
            } catch (Exception e) {
                sums.put(e.toString().replace(' ', '_'), 1L);
            }
        });
    }

    private static void add(String site, long since) {
        sums.merge(site, System.nanoTime() - since, Long::sum);
    }

    private static Wait lockTurns(int times) {
        Semaphore held = new Semaphore(0);
        Semaphore next = new Semaphore(0);
        LineProtocol.start("holder", () -> {
            for (int i = 0; i < times; i++) {
                synchronized (monitor) {
                    held.release();
                    LockSupport.parkNanos(15 * millis);
                }
                next.acquireUninterruptibly();
            }
        });
        return () -> {
            turn(held);
            lock();
            next.release();
        };
    }

    private static void turn(Semaphore held) {
        long since = System.nanoTime();
        held.acquireUninterruptibly();
        add("turn", since);
    }

    private static void lock() {
        long since = System.nanoTime();
        synchronized (monitor) {
            add("lock", since);
        }
    }

    private static void park() {
        long since = System.nanoTime();
        LockSupport.parkNanos(12 * millis);
        add("park", since);
    }

    private static void sleep() throws InterruptedException {
        long since = System.nanoTime();
        Thread.sleep(20 * millis / 1_000_000);
        add("sleep", since);
    }

    /** Sends a byte after each 14 ms. */
    private static Wait socketTurns(int times) throws IOException {
        Socket socket;
        Socket peer;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket = new Socket(server.getInetAddress(), server.getLocalPort());
            peer = server.accept();
        }
        InputStream in = socket.getInputStream();
        OutputStream out = peer.getOutputStream();
        repeat("sender", 14, times, () -> out.write(1));
        return () -> socket(in);
    }

    private static void socket(InputStream in) throws IOException {
        long since = System.nanoTime();
        in.read();
        add("socket", since);
    }

    /** Writes a byte to a pipe after each 18 ms. */
    private static Wait fileTurns(int times) throws IOException {
        Pipe pipe = Pipe.open();
        repeat("writer", 18, times, () -> pipe.sink().write(ByteBuffer.allocate(1)));
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        return () -> file(pipe.source(), buffer);
    }

    private static void file(Pipe.SourceChannel source, ByteBuffer buffer) throws IOException {
        buffer.clear();
        long since = System.nanoTime();
        source.read(buffer);
        add("file", since);
    }

    private static void repeat(String name, int length, int times, Wait action) {
        LineProtocol.start(name, () -> {
            try {
                for (int i = 0; i < times; i++) {
                    LockSupport.parkNanos(length * millis);
                    action.once();
                }
            } catch (Exception e) {
                sums.put(e.toString().replace(' ', '_'), 1L);
            }
        });
    }
}
