package mayfly.attach.channel;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import mayfly.linux.LiveProcess;
import mayfly.wire.HostRecordFile;

/**
 * The records of a process, one for each JVM that has a host, in the order of their descriptors. A record that cannot
 * be read does not affect requests to the hosts of other JVMs, because the name of its file identifies its JVM.
 *
 * @param known the records
 * @param unknown the hosts whose records cannot be read
 */
public record HostRecords(List<HostRecord> known, List<Unknown> unknown) {
    /** Upper bound on the records of a process; the host ranks as many JVMs. */
    private static final int MAX_RECORDS = 64;

    private static final int HEXADECIMAL = 16;

    /**
     * A host whose record cannot be read.
     *
     * @param library the start address of the library of its JVM
     * @param reason the reason, for a human reader
     */
    public record Unknown(long library, String reason) {
        /** Returns the failure of a request to this host. */
        public IOException failure() {
            return new HostRecord.Unreadable(reason);
        }
    }

    /** Creates the records of a process. */
    public HostRecords {
        known = List.copyOf(known);
        unknown = List.copyOf(unknown);
    }

    /**
     * Reads the records of a process.
     *
     * @throws IOException if the process has ended, or its descriptors cannot be read
     */
    public static HostRecords of(LiveProcess process) throws IOException {
        List<HostRecord> known = new ArrayList<>();
        List<Unknown> unknown = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Map.Entry<Integer, String> fd : process.facts().descriptors().entrySet()) {
            String link = fd.getValue();
            // A program may have duplicated a descriptor.
            if (isRecord(link) && seen.size() < MAX_RECORDS && seen.add(link)) {
                try {
                    HostRecord.read(process, fd.getKey(), link).ifPresent(known::add);
                } catch (HostRecord.Unreadable e) {
                    unknown.add(new Unknown(library(link), String.valueOf(e.getMessage())));
                }
            }
        }
        return new HostRecords(known, unknown);
    }

    private static boolean isRecord(String link) {
        return link.startsWith(HostRecordFile.LINK) && link.endsWith(HostRecordFile.LINK_END);
    }

    /** Returns the address in the name of a record; 0, which is the address of no library, if the name has none. */
    private static long library(String link) {
        String digits = link.substring(HostRecordFile.LINK.length(), link.length() - HostRecordFile.LINK_END.length());
        return digits.matches("[0-9a-f]{16}") ? Long.parseUnsignedLong(digits, HEXADECIMAL) : 0;
    }

    /** Returns true if no JVM of the process has a host. */
    public boolean isEmpty() {
        return known.isEmpty() && unknown.isEmpty();
    }

    /**
     * Returns the record of the host in a JVM.
     *
     * @param library the start address of the JVM's library
     * @throws IOException if the record of that host cannot be read
     */
    public Optional<HostRecord> in(long library) throws IOException {
        for (Unknown host : unknown) {
            if (host.library() == library) {
                throw host.failure();
            }
        }
        return known.stream().filter(host -> host.library() == library).findFirst();
    }

    /**
     * Returns the records of all hosts.
     *
     * @throws IOException if one of them cannot be read
     */
    public List<HostRecord> all() throws IOException {
        if (!unknown.isEmpty()) {
            throw unknown.getFirst().failure();
        }
        return known;
    }
}
