package mayfly.cli.demo;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A small service without clients: it creates orders, writes them as text, reads them back, sorts and sums them up,
 * and archives them compressed with a checksum. Runs until it is killed, but at most ten minutes.
 */
public final class DemoProgram {
    private static final int ORDERS = 4_000;
    private static final long MAX_LIFE_NANOS = 600_000_000_000L;

    private record Order(int id, String customer, String article, int pieces, long cents) {}

    private final SplittableRandom random = new SplittableRandom(42);
    private final byte[] archive = new byte[1 << 20];

    private DemoProgram() {}

    /**
     * @param args none
     * @throws NoSuchAlgorithmException if the JDK lacks SHA-256
     */
    public static void main(String[] args) throws NoSuchAlgorithmException {
        var program = new DemoProgram();
        long start = System.nanoTime();
        long check = 0;
        while (System.nanoTime() - start < MAX_LIFE_NANOS) {
            check += program.serveOneDay();
        }
        // Uses the result, so that no compiler can eliminate the work.
        if (check == 42) {
            System.err.println("a strange day");
        }
    }

    private long serveOneDay() throws NoSuchAlgorithmException {
        List<Order> orders = receiveOrders();
        String text = writeText(orders);
        List<Order> parsed = parseText(text);
        sortByCustomer(parsed);
        Map<String, Long> totals = totalsByArticle(parsed);
        return archive(text) + sign(text) + totals.size();
    }

    private List<Order> receiveOrders() {
        var orders = new ArrayList<Order>(ORDERS);
        for (int i = 0; i < ORDERS; i++) {
            orders.add(new Order(
                    i,
                    "customer-" + random.nextInt(500),
                    "article-" + random.nextInt(90),
                    1 + random.nextInt(20),
                    random.nextInt(100_000)));
        }
        return orders;
    }

    private static String writeText(List<Order> orders) {
        var text = new StringBuilder();
        for (Order order : orders) {
            text.append(order.id())
                    .append(';')
                    .append(order.customer())
                    .append(';')
                    .append(order.article())
                    .append(';')
                    .append(order.pieces())
                    .append(';')
                    .append(order.cents())
                    .append('\n');
        }
        return text.toString();
    }

    private static List<Order> parseText(String text) {
        var orders = new ArrayList<Order>(ORDERS);
        text.lines().forEach(line -> orders.add(parseLine(line)));
        return orders;
    }

    private static Order parseLine(String line) {
        String[] cells = line.split(";");
        return new Order(
                Integer.parseInt(cells[0]), cells[1], cells[2], Integer.parseInt(cells[3]), Long.parseLong(cells[4]));
    }

    private static void sortByCustomer(List<Order> orders) {
        orders.sort(Comparator.comparing(Order::customer).thenComparing(Order::cents, Comparator.reverseOrder()));
    }

    private static Map<String, Long> totalsByArticle(List<Order> orders) {
        var totals = new HashMap<String, Long>();
        for (Order order : orders) {
            totals.merge(order.article(), order.pieces() * order.cents(), Long::sum);
        }
        return totals;
    }

    private long archive(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            int length = 0;
            while (!deflater.finished() && length < archive.length) {
                length += deflater.deflate(archive, length, archive.length - length);
            }
            var checksum = new CRC32();
            checksum.update(archive, 0, length);
            return checksum.getValue();
        } finally {
            deflater.end();
        }
    }

    private static long sign(String text) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return digest[0];
    }
}
