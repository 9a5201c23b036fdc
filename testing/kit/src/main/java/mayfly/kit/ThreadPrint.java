package mayfly.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The threads in the output of {@code jcmd PID Thread.print}, which is the oracle for stacks, for the locks that
 * threads wait for, and the monitors that they have entered. Synchronizers that they own are omitted.
 *
 * @param threads in the order printed
 */
public record ThreadPrint(List<PrintedThread> threads) {
    /** "name" #12 [4711] daemon prio=5 ... nid=0x3e54 waiting on condition; the nid is decimal from JDK 19 on. */
    private static final Pattern HEADER = Pattern.compile("^\"(.*)\" .*\\bnid=(0x[0-9a-f]+|\\d+) .*$");

    private static final Pattern NUMBERED = Pattern.compile("^\".*\" #(\\d+) (?:\\[\\d+] )?(daemon )?.*$");
    private static final Pattern FRAME = Pattern.compile("^\\s+at (.+)\\.([^.(]+)\\(([^()]*)\\)$");
    private static final Pattern AWAITED = Pattern.compile(
            "^\\s+- (waiting to lock|waiting to re-lock in wait\\(\\)|waiting on|parking to wait for)\\s+"
                    + "(<0x[0-9a-f]+>|<no object reference available>)(?: \\(a (.+)\\))?$");
    /** Printed since JDK 17. */
    private static final Pattern INITIALIZED =
            Pattern.compile("^\\s+- (waiting on the Class initialization monitor for) (.+)$");

    private static final Pattern ENTERED =
            Pattern.compile("^\\s+- (locked|eliminated|waiting to re-lock in wait\\(\\))\\s+"
                    + "(<0x[0-9a-f]+>|<owner is scalar replaced>|<no object reference available>)"
                    + "(?: \\(a (.+)\\))?$");
    /** Up to JDK 20, this line does not end. */
    private static final Pattern UNENDED = Pattern.compile("(<owner is scalar replaced> \\(a [^()]+\\))(?=\t)");

    private static final Pattern STATE =
            Pattern.compile("^\\s+java\\.lang\\.Thread\\.State: (\\w+)(?: (\\(.*\\)))?.*$");

    /**
     * One thread.
     *
     * @param name its Java name
     * @param tid the kernel's thread id, in the target's own pid namespace
     * @param number its number as a Java thread; 0 for the VM's own threads
     * @param daemon true if the JVM may end while it runs
     * @param state its {@link Thread.State}, or an empty text if none is printed
     * @param reason the reason for its state, such as {@code (parking)}, or an empty text
     * @param frames leaf first
     * @param awaited the locks that it waits for
     * @param entered the monitors that its methods have entered, in the order printed
     */
    public record PrintedThread(
            String name,
            int tid,
            long number,
            boolean daemon,
            String state,
            String reason,
            List<PrintedFrame> frames,
            List<AwaitedObject> awaited,
            List<EnteredObject> entered) {
        public PrintedThread {
            frames = List.copyOf(frames);
            awaited = List.copyOf(awaited);
            entered = List.copyOf(entered);
        }

        /** Returns true for a Java thread, false for a thread of the VM. */
        public boolean java() {
            return number != 0;
        }

        /** Returns its frames as class.method:line, leaf first. */
        public List<String> lines() {
            return frames.stream().map(PrintedFrame::toString).toList();
        }
    }

    /**
     * A lock that a thread waits for.
     *
     * @param words the way in which it waits, such as {@code waiting to lock}
     * @param address the address of its object, such as {@code <0x00000006c0001000>}; {@code <no object reference
     *     available>} if the JVM does not know it; empty for the initialization of a class
     * @param className the class of the object, and for a class object its name; empty if the JVM does not know it; the
     *     class whose initialization is awaited
     */
    public record AwaitedObject(String words, String address, String className) {}

    /**
     * A monitor that a method has entered.
     *
     * @param frame the position of the method in the frames
     * @param words {@code locked} or {@code eliminated}; JDK 11 also prints {@code waiting to re-lock in wait()}
     * @param address the address of its object, such as {@code <0x00000006c0001000>}, or {@code <owner is scalar
     *     replaced>}
     * @param className the class of the object, and for a class object its name; empty if the JVM does not know it
     */
    public record EnteredObject(int frame, String words, String address, String className) {}

    /**
     * One frame.
     *
     * @param className with dots, as printed; a hidden class has a suffix such as {@code /0x00007f1c04001000}
     * @param method its name without a signature
     * @param line its line; -1 if it is not known, -2 for a native method
     */
    public record PrintedFrame(String className, String method, int line) {
        public static final int UNKNOWN_LINE = -1;
        public static final int NATIVE_METHOD = -2;

        public boolean isNative() {
            return line == NATIVE_METHOD;
        }

        /** Returns class and method with a dot, as in collapsed output. */
        public String name() {
            return className + "." + method;
        }

        @Override
        public String toString() {
            return name()
                    + switch (line) {
                        case NATIVE_METHOD -> "(native)";
                        case UNKNOWN_LINE -> "";
                        default -> ":" + line;
                    };
        }
    }

    public ThreadPrint {
        threads = List.copyOf(threads);
    }

    /**
     * Requests the dump from the JVM. This stops the JVM at a safepoint and starts its attach listener. Uses the jcmd
     * of the JDK that runs this program, because the jcmd of another JDK may not run with the libc of this machine.
     */
    public static ThreadPrint of(Jvm jvm) {
        return parse(text(jvm));
    }

    /** Returns the unparsed output. */
    public static String text(Jvm jvm) {
        Command done = Command.run(
                Duration.ofSeconds(60),
                Jdk.current().tool("jcmd").toString(),
                Long.toString(jvm.pid()),
                "Thread.print",
                "-l");
        if (done.exitCode() != 0) {
            throw new AssertionError(done.evidence() + "\n" + jvm.evidence());
        }
        return done.stdout();
    }

    /** Parses the output of jcmd. */
    public static ThreadPrint parse(String text) {
        List<PrintedThread> threads = new ArrayList<>();
        Matcher thread = HEADER.matcher("");
        List<String> below = new ArrayList<>();
        for (String line : UNENDED.matcher(text).replaceAll("$1\n").lines().toList()) {
            Matcher header = HEADER.matcher(line);
            if (header.matches()) {
                add(threads, thread, below);
                thread = header;
                below.clear();
            } else {
                below.add(line);
            }
        }
        add(threads, thread, below);
        return new ThreadPrint(threads);
    }

    private static void add(List<PrintedThread> threads, Matcher header, List<String> below) {
        if (!header.hasMatch()) {
            return;
        }
        Matcher java = NUMBERED.matcher(header.group());
        boolean numbered = java.matches();
        String state = "";
        String reason = "";
        List<PrintedFrame> frames = new ArrayList<>();
        List<AwaitedObject> awaited = new ArrayList<>();
        List<EnteredObject> entered = new ArrayList<>();
        for (String line : below) {
            Matcher monitor = ENTERED.matcher(line);
            if (monitor.matches()) {
                entered.add(new EnteredObject(
                        frames.size() - 1,
                        monitor.group(1),
                        monitor.group(2),
                        monitor.group(3) == null ? "" : monitor.group(3)));
            }
            Matcher frame = FRAME.matcher(line);
            Matcher stateLine = STATE.matcher(line);
            Matcher lock = AWAITED.matcher(line);
            Matcher initialized = INITIALIZED.matcher(line);
            if (frame.matches()) {
                frames.add(new PrintedFrame(frame.group(1), frame.group(2), lineOf(frame.group(3))));
            } else if (stateLine.matches()) {
                state = stateLine.group(1);
                reason = stateLine.group(2) == null ? "" : stateLine.group(2);
            } else if (lock.matches()) {
                awaited.add(
                        new AwaitedObject(lock.group(1), lock.group(2), lock.group(3) == null ? "" : lock.group(3)));
            } else if (initialized.matches()) {
                awaited.add(new AwaitedObject(initialized.group(1), "", initialized.group(2)));
            }
        }
        threads.add(new PrintedThread(
                header.group(1),
                Integer.decode(header.group(2)),
                numbered ? Long.parseLong(java.group(1)) : 0,
                numbered && java.group(2) != null,
                state,
                reason,
                frames,
                awaited,
                entered));
    }

    private static int lineOf(String place) {
        if (place.endsWith("Native Method")) {
            return PrintedFrame.NATIVE_METHOD;
        }
        int colon = place.lastIndexOf(':');
        return colon < 0 ? PrintedFrame.UNKNOWN_LINE : Integer.parseInt(place.substring(colon + 1));
    }

    public Optional<PrintedThread> find(int tid) {
        return threads.stream().filter(thread -> thread.tid == tid).findFirst();
    }

    /** Returns the only thread of this name. */
    public PrintedThread named(String name) {
        List<PrintedThread> found =
                threads.stream().filter(thread -> thread.name.equals(name)).toList();
        if (found.size() != 1) {
            throw new NoSuchElementException(found.size() + " threads are named " + name + " among "
                    + threads.stream().map(PrintedThread::name).toList());
        }
        return found.getFirst();
    }

    /** Returns the threads whose names start with this prefix. */
    public List<PrintedThread> startingWith(String prefix) {
        return threads.stream().filter(thread -> thread.name.startsWith(prefix)).toList();
    }
}
