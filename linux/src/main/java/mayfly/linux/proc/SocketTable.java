package mayfly.linux.proc;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Descriptions of a network namespace's sockets by inode: /proc/PID/net/unix, tcp, tcp6, udp and udp6, see unix(7) and
 * proc_pid_net(5). Sockets of other families are not in these tables.
 */
public final class SocketTable {
    /** __SO_ACCEPTCON, in the flags of unix. */
    private static final long ACCEPTS = 0x10000;

    private static final int TCP_ESTABLISHED = 1;
    private static final int TCP_LISTEN = 10;

    private final Set<Long> wanted;
    private final Map<Long, String> found = new HashMap<>();

    SocketTable(Set<Long> wanted) {
        this.wanted = wanted;
    }

    /**
     * Returns the wanted sockets of a process's network namespace.
     *
     * @throws IOException if the tables cannot be read
     */
    public static Map<Long, String> of(String proc, Set<Long> wanted) throws IOException {
        SocketTable table = new SocketTable(wanted);
        ProcLines.of(proc + "/net/unix", table::addUnix);
        for (String protocol : new String[] {"tcp", "tcp6", "udp", "udp6"}) {
            try {
                ProcLines.of(proc + "/net/" + protocol, line -> table.addInternet(protocol, line));
            } catch (IOException e) {
                // A kernel without that protocol has no such table.
                if (!ProcFile.isGone(e)) {
                    throw e;
                }
            }
        }
        return table.found;
    }

    Map<Long, String> found() {
        return found;
    }

    private void add(String inode, String words) {
        long number = Long.parseLong(inode);
        if (wanted.contains(number)) {
            found.put(number, words);
        }
    }

    /**
     * Parses {@code Num: RefCount Protocol Flags Type St Inode Path}; a path may contain blanks. The heading is
     * ignored.
     */
    void addUnix(String line) {
        String[] cells = line.strip().split(" +", 8);
        if (cells.length < 7) {
            return;
        }
        try {
            boolean accepts = (Long.parseLong(cells[3], 16) & ACCEPTS) != 0;
            String name = cells.length < 8 ? "(unnamed)" : cells[7];
            add(cells[6], "unix " + name + (accepts ? " listening" : ""));
        } catch (NumberFormatException e) {
            return; // malformed line
        }
    }

    /** Parses {@code sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ...}. */
    void addInternet(String protocol, String line) {
        String[] cells = line.strip().split(" +", 11);
        if (cells.length < 10) {
            return;
        }
        try {
            int state = Integer.parseInt(cells[3], 16);
            String local = protocol + " " + address(cells[1]);
            add(
                    cells[9],
                    switch (state) {
                        case TCP_LISTEN -> local + " listening";
                        case TCP_ESTABLISHED -> local + " to " + address(cells[2]);
                        default -> local;
                    });
        } catch (IllegalArgumentException e) {
            return; // malformed line
        }
    }

    /** Formats an address. The kernel prints each 32 bits as a number of this machine, which reverses the bytes. */
    private static String address(String hex) {
        int colon = hex.indexOf(':');
        if (colon != 8 && colon != 32) {
            throw new IllegalArgumentException(hex);
        }
        int port = Integer.parseInt(hex.substring(colon + 1), 16);
        StringBuilder text = new StringBuilder();
        for (int word = 0; word < colon; word += 8) {
            int bytes = Integer.reverseBytes(Integer.parseUnsignedInt(hex.substring(word, word + 8), 16));
            String separator = word == 0 ? "[" : ":";
            text.append(
                    colon == 8
                            ? (bytes >>> 24) + "." + (bytes >>> 16 & 255) + "." + (bytes >>> 8 & 255) + "."
                                    + (bytes & 255)
                            : String.format(Locale.ROOT, "%s%x:%x", separator, bytes >>> 16, bytes & 0xffff));
        }
        return text + (colon == 8 ? ":" : "]:") + port;
    }
}
