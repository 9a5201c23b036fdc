package mayfly.targets;

import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code LargeHeap MIB}: retains MIB mebibytes in objects of about 256 bytes, allocates some 20 MiB of garbage a
 * second, and measures its own stalls. {@code collect} requests a full collection; {@code keep MIB} retains MIB
 * mebibytes more. It answers any other line with the longest stall since the previous such line, in ns.
 */
public final class LargeHeap {
    private static final int NODE = 256;
    private static final int GARBAGE = 20 << 10;
    private static final AtomicLong longest = new AtomicLong();
    private static volatile Object sink;
    private static volatile Node kept;

    private LargeHeap() {}

    /** The live objects: a list, whose nodes a collector visits one by one. */
    private static final class Node {
        final Node next;
        final byte[] content = new byte[NODE - 40];

        Node(Node next) {
            this.next = next;
        }
    }

    public static void main(String[] args) {
        keep(args[0]);
        LineProtocol.start("clock", LargeHeap::watch);
        LineProtocol.untilExit("large heap", LargeHeap::answer);
    }

    private static void keep(String mebibytes) {
        Node all = kept;
        for (long i = (Long.parseLong(mebibytes) << 20) / NODE; i > 0; i--) {
            all = new Node(all);
        }
        kept = all;
    }

    private static String answer(String line) {
        if (line.equals("collect")) {
            System.gc();
            return "collected";
        }
        if (line.startsWith("keep ")) {
            keep(line.substring("keep ".length()));
            return "kept";
        }
        return Long.toString(longest.getAndSet(0));
    }

    private static void watch() {
        for (long last = System.nanoTime(); ; ) {
            sink = new byte[GARBAGE];
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            long stall = now - last - 1_000_000;
            longest.accumulateAndGet(stall, Math::max);
            last = now;
        }
    }
}
