package mayfly.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** An audit in a file, see docs/formats/audit.md: lines of ASCII, each a word and its values, separated by tabs. */
public final class AuditFile {
    private static final String FIRST = "mayfly-audit/1";
    private static final String LAST = "end";
    private static final int MAX_RUNTIMES = 1000;
    /** Upper bound on the length of a line, in chars: an item with each of its chars escaped, or a reason. */
    private static final int MAX_LINE_LENGTH = 10_000;

    private AuditFile() {}

    /** Thrown if a file is not a complete audit. */
    public static final class NotAnAudit extends Exception {
        private static final long serialVersionUID = 1L;

        NotAnAudit(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Writes an audit.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(Audit audit, OutputStream out) throws IOException {
        StringBuilder text = new StringBuilder(FIRST).append('\n');
        Audit.Identity process = audit.process();
        line(text, "process", Integer.toString(process.pid()), Long.toString(process.startTicks()), process.boot());
        line(text, "time", audit.time().toString());
        audit.runtimes().forEach(runtime -> line(text, "runtime", runtime));
        for (AuditSection section : audit.sections().values()) {
            line(text, section.isSeen() ? "seen" : "unseen", section.kind().id(), section.problem());
            for (Map.Entry<String, Long> item : section.items().entrySet()) {
                line(text, "item", Long.toString(item.getValue()), item.getKey());
                if (text.length() > MAX_LINE_LENGTH) {
                    out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
                    text.setLength(0);
                }
            }
        }
        out.write(text.append(LAST).append('\n').toString().getBytes(StandardCharsets.US_ASCII));
    }

    private static void line(StringBuilder to, String word, String... values) {
        to.append(word);
        for (String value : values) {
            to.append('\t');
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                if (c >= ' ' && c <= '~' && c != '\\') {
                    to.append(c);
                } else {
                    to.append('\\').append(String.format("%04x", (int) c));
                }
            }
        }
        to.append('\n');
    }

    /**
     * Reads an audit. Kinds that this version does not know are left out.
     *
     * @throws NotAnAudit if the file is not a complete audit
     * @throws IOException if the stream cannot be read
     */
    public static Audit read(InputStream in) throws IOException, NotAnAudit {
        return new Reading(new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1))).read();
    }

    /** The state of reading one file. */
    private static final class Reading {
        private final BufferedReader in;
        private int number;
        private Audit.Identity process = new Audit.Identity(0, 0, "");
        private Instant time = Instant.EPOCH;
        private final List<String> runtimes = new ArrayList<>();
        private final Map<AuditKind, AuditSection> sections = new EnumMap<>(AuditKind.class);
        /** The section of the current kind, and its items. Items of an unknown kind are dropped. */
        private AuditSection section = AuditSection.unseen(AuditKind.THREADS, "no kind yet");

        private boolean isKnown;
        private Items items = new Items();

        Reading(BufferedReader in) {
            this.in = in;
        }

        Audit read() throws IOException, NotAnAudit {
            if (!nextLine().equals(FIRST)) {
                throw new NotAnAudit("its first line is not " + FIRST);
            }
            for (String line = nextLine(); !line.equals(LAST); line = nextLine()) {
                try {
                    take(line.split("\t", -1));
                } catch (NumberFormatException | DateTimeException | NotSeen e) {
                    throw wrong(String.valueOf(e.getMessage()));
                }
            }
            close();
            if (process.pid() <= 0) {
                throw new NotAnAudit("it does not name its process");
            }
            return new Audit(process, time, runtimes, sections);
        }

        private void take(String[] cells) throws NotAnAudit, NotSeen {
            switch (cells[0] + " " + cells.length) {
                case "process 4" ->
                    process = new Audit.Identity(Integer.parseInt(cells[1]), Long.parseLong(cells[2]), text(cells[3]));
                case "time 2" -> time = Instant.parse(cells[1]);
                case "runtime 2" -> {
                    runtimes.add(text(cells[1]));
                    if (runtimes.size() > MAX_RUNTIMES) {
                        throw wrong("more than " + MAX_RUNTIMES + " runtimes");
                    }
                }
                case "seen 3" -> begin(cells[1], "");
                case "unseen 3" -> begin(cells[1], cells[2].isEmpty() ? "no reason is given" : text(cells[2]));
                case "item 3" -> {
                    long count = Long.parseLong(cells[1]);
                    if (count <= 0 || !section.isSeen()) {
                        throw wrong("an item with the count " + count + ", or of a kind that was not seen");
                    }
                    if (isKnown) {
                        items.add(text(cells[2]), count);
                    }
                }
                default -> throw wrong("it is not a valid line of an audit");
            }
        }

        private void begin(String id, String problem) {
            close();
            isKnown = false;
            for (AuditKind kind : AuditKind.values()) {
                if (kind.id().equals(id)) {
                    isKnown = true;
                    section = AuditSection.unseen(kind, problem);
                }
            }
            if (!isKnown) {
                section = AuditSection.unseen(AuditKind.THREADS, problem);
            }
            items = new Items();
        }

        private void close() {
            if (isKnown) {
                sections.put(section.kind(), new AuditSection(section.kind(), items.counts(), section.problem()));
            }
        }

        private String text(String escaped) throws NotAnAudit {
            if (escaped.indexOf('\\') < 0) {
                return escaped;
            }
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < escaped.length(); i++) {
                if (escaped.charAt(i) != '\\') {
                    text.append(escaped.charAt(i));
                } else if (i + 4 < escaped.length()) {
                    text.append((char) Integer.parseUnsignedInt(escaped, i + 1, i + 5, 16));
                    i += 4;
                } else {
                    throw wrong("an incomplete escape sequence");
                }
            }
            return text.toString();
        }

        private NotAnAudit wrong(String what) {
            return new NotAnAudit("line " + number + ": " + what);
        }

        private String nextLine() throws IOException, NotAnAudit {
            StringBuilder line = new StringBuilder();
            number++;
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw wrong("the file ends before the audit is complete");
                }
                if (line.length() == MAX_LINE_LENGTH) {
                    throw wrong("it is too long");
                }
                if (c != '\t' && (c < ' ' || c > '~')) {
                    throw wrong("it is not ASCII");
                }
                line.append((char) c);
            }
            return line.toString();
        }
    }
}
