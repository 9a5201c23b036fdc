package mayfly.targets;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code H2Load [THREADS]}: an in-memory SQL load (default two threads). It answers any line with the number of
 * statements run.
 */
public final class H2Load {
    private static final String URL = "jdbc:h2:mem:load;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
    private static final int CUSTOMERS = 500;
    private static final int ORDERS = 10_000;
    private static final AtomicLong statements = new AtomicLong();

    private H2Load() {}

    public static void main(String[] args) throws SQLException {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        createTables();
        for (int i = 0; i < threads; i++) {
            long seed = i;
            LineProtocol.start("h2-" + i, () -> load(seed));
        }
        while (statements.get() < 2_000) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("h2", line -> statements.toString());
    }

    private static void createTables() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                Statement s = connection.createStatement()) {
            s.execute("create table customer(id int primary key, name varchar(80), city varchar(40))");
            s.execute("create table orders(id int primary key, customer int, amount decimal(12,2), note varchar(200))");
            s.execute("create index orders_customer on orders(customer)");
            try (PreparedStatement insert = connection.prepareStatement("insert into customer values(?, ?, ?)")) {
                for (int i = 0; i < CUSTOMERS; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "customer " + i);
                    insert.setString(3, "city " + i % 37);
                    insert.execute();
                }
            }
        }
    }

    private static void load(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        while (true) {
            try (Connection connection = DriverManager.getConnection(URL)) {
                for (int i = 0; i < 500; i++) {
                    work(connection, random);
                }
            } catch (SQLException e) {
                // Two writers conflicted at a row: H2 requires the loser to try again.
                if (e.getErrorCode() != 90131 && e.getErrorCode() != 50200 && e.getErrorCode() != 23505) {
                    System.err.println(e);
                    System.exit(1);
                }
            }
        }
    }

    private static void work(Connection connection, SplittableRandom random) throws SQLException {
        int id = random.nextInt(ORDERS);
        switch (random.nextInt(8)) {
            case 0:
            case 1:
                update(
                        connection,
                        "merge into orders values(?, ?, ?, ?)",
                        id,
                        id % CUSTOMERS,
                        random.nextInt(100_000) / 100.0,
                        "note " + id + " of a certain length");
                break;
            case 2:
                update(
                        connection,
                        "update orders set amount = amount + ? where customer = ?",
                        1,
                        random.nextInt(CUSTOMERS));
                break;
            case 3:
                update(connection, "delete from orders where id = ?", id);
                break;
            case 4:
                query(
                        connection,
                        "select c.city, sum(o.amount), count(*) from orders o join customer c"
                                + " on c.id = o.customer where c.city = ? group by c.city order by 2 desc",
                        "city " + id % 37);
                break;
            case 5:
                query(
                        connection,
                        "select upper(note) || name from orders o join customer c on c.id = o.customer"
                                + " where note like ? order by amount limit 20",
                        "%" + id % 100 + "%");
                break;
            default:
                query(connection, "select * from orders where customer = ? order by id", id % CUSTOMERS);
        }
        statements.incrementAndGet();
    }

    private static void update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            statement.executeUpdate();
        }
    }

    private static void query(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
                long length = 0;
                while (rows.next()) {
                    length += String.valueOf(rows.getObject(1)).length();
                }
                Work.sink = length;
            }
        }
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
