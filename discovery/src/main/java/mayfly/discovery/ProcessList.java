package mayfly.discovery;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.proc.ProcFileTooLarge;
import mayfly.process.Mapping;
import mayfly.runtime.ManagedRuntime;
import mayfly.wire.HostRecordFile;

/** The runtimes on this machine that this user may inspect. Mayfly's own processes are not among them. */
public final class ProcessList {
    /** Replaces the name of a runtime's library among the mapped libraries. */
    private static final String RUNTIME = "a runtime";

    private static final String LAUNCHER = "libjli.so";
    /** The word for Mayfly's host in {@link RuntimeRow#attached}. */
    public static final String HOSTED = "mayfly";

    /** The name of a record that a host of Mayfly keeps in a target; the address of its JVM's library follows. */
    private static final String HOST = "memfd:" + HostRecordFile.NAME;
    /** Upper bound on the records of one process: any program can map such files. */
    private static final int MAX_HOSTS = 64;
    /** Files of java.lang.instrument, the debugger, the management agent and async-profiler. */
    private static final Set<String> AGENTS =
            Set.of("libinstrument.so", "libjdwp.so", "libmanagement_agent.so", "libasyncProfiler.so");

    /** Mayfly's own commands, as the launcher starts them, and the JVMs that render for them. */
    private static final Set<String> MAYFLY = Set.of(
            "mayfly.cli.Main",
            "mayfly.cli/mayfly.cli.Main",
            "mayfly.cli.file.RenderingMain",
            "mayfly.cli/mayfly.cli.file.RenderingMain");
    /** Lower bound on the interval over which recent CPU time is measured: its resolution is 10 ms. */
    private static final long USAGE_NANOS = 200_000_000;

    private static final int MAX_TEXT_LENGTH = 1_000;

    private ProcessList() {}

    /**
     * Returns all runtimes but Mayfly's own, by pid and runtime. A runtime that cannot be read is included, with its
     * version if that can be read. If the inspection of a process blocks this entire JVM, the kernel ends this process.
     *
     * @param problems receives a line for each process that was not inspected completely although this user may inspect
     *         it
     */
    public static List<RuntimeRow> list(Consumer<String> problems) {
        TimedInspections looks = TimedInspections.withAlarm(problems);
        List<RuntimeRow> rows = list(looks, problems);
        looks.end();
        return rows;
    }

    /**
     * Returns the list without setting the alarm that ends this process if it is blocked, and without reporting
     * problems.
     */
    public static List<RuntimeRow> list() {
        return list(new TimedInspections(problem -> {}), problem -> {});
    }

    /**
     * Ends this process if an inspection by {@link #list} has not ended: the JVM's own exit could wait for it.
     *
     * @param status the exit status
     */
    public static void exitPastStuckLooks(int status) {
        TimedInspections.exitPastStuck(status);
    }

    private static List<RuntimeRow> list(TimedInspections looks, Consumer<String> problems) {
        var rows = new ArrayList<RuntimeRow>();
        long start = System.nanoTime();
        List<RuntimeRow> seen = seen(looks, problems, problems);
        if (!seen.isEmpty()) {
            LockSupport.parkNanos(USAGE_NANOS - (System.nanoTime() - start));
        }
        for (RuntimeRow row : seen) {
            rows.addAll(looks.at(row.pid(), () -> withVersions(row, problems)).orElse(List.of(row)));
        }
        return rows.stream().map(ProcessList::withWordForHosts).toList();
    }

    /**
     * Returns the runtimes of a process with this id, or of processes whose main class, module or jar has this name.
     * The name matches as a whole or by its last part; if there is no such process, it matches any part. The main class
     * of another user's process is the one on its command line.
     *
     * @param leftOut receives a line for processes that were not searched although this user may inspect them
     */
    public static List<RuntimeRow> match(String pidOrName, Consumer<String> leftOut) {
        List<RuntimeRow> rows = seen(new TimedInspections(leftOut), problem -> {}, leftOut).stream()
                .map(row -> row.mainClass().isEmpty() ? named(row) : row)
                .map(ProcessList::withWordForHosts)
                .toList();
        long unnamed = rows.stream().filter(row -> row.mainClass().isEmpty()).count();
        if (unnamed > 0) {
            leftOut.accept("not searched by name: " + unnamed + " JVMs whose command lines do not contain the main"
                    + " class");
        }
        List<Predicate<RuntimeRow>> closeness = List.of(
                row -> Integer.toString(row.pid()).equals(pidOrName)
                        || row.mainClass().equals(pidOrName),
                row -> row.mainClass().endsWith("." + pidOrName)
                        || row.mainClass().endsWith("/" + pidOrName),
                row -> row.mainClass().contains(pidOrName));
        for (Predicate<RuntimeRow> close : closeness) {
            List<RuntimeRow> matching = rows.stream().filter(close).toList();
            if (!matching.isEmpty()) {
                return matching;
            }
        }
        return List.of();
    }

    /**
     * Returns the row with the main class that its runtime has recorded, if the process is this user's: files of
     * another user's process could block the search.
     */
    private static RuntimeRow named(RuntimeRow row) {
        try (LiveProcess process = LiveProcess.open(row.pid())) {
            return process.isOthers() ? row : withVersions(row).getFirst();
        } catch (ProcessUnavailable | IOException e) {
            return row;
        }
    }

    /** Returns one row for each process that has a libjvm mapped. */
    private static List<RuntimeRow> seen(TimedInspections looks, Consumer<String> problems, Consumer<String> leftOut) {
        String[] names = new File("/proc").list((dir, name) -> name.matches("[0-9]{1,9}"));
        if (names == null) {
            return List.of();
        }
        long self = ProcessHandle.current().pid();
        var users = UserNames.read();
        var limit = new RowLimit();
        var rows = new ArrayList<RuntimeRow>();
        for (int pid : Arrays.stream(names).mapToInt(Integer::parseInt).sorted().toArray()) {
            if (pid != self) {
                looks.at(pid, () -> row(pid, users, limit, problems))
                        .flatMap(row -> row)
                        .ifPresent(rows::add);
            }
        }
        limit.report(users, leftOut);
        return rows;
    }

    /**
     * Returns empty for a process that has no runtime, that this user may not inspect, that has ended meanwhile, or for
     * which there is no room.
     */
    private static Optional<RuntimeRow> row(int pid, UserNames users, RowLimit limit, Consumer<String> problems) {
        try (LiveProcess process = LiveProcess.open(pid)) {
            int user = process.status().uid();
            if (!limit.hasRoom(user)) {
                return Optional.empty();
            }
            process.boundReads();
            Set<String> libraries = libraries(process, problems);
            if (!libraries.remove(RUNTIME)) {
                return Optional.empty();
            }
            CommandLine command = CommandLine.of(process, libraries.remove(LAUNCHER));
            if (isMayfly(command)) {
                return Optional.empty();
            }
            limit.add(user);
            return Optional.of(new RuntimeRow(
                    pid,
                    null,
                    0,
                    "",
                    bounded(command.mainClass()),
                    bounded(command.arguments()),
                    users.nameOf(user),
                    ProcessUsage.of(process),
                    List.copyOf(libraries)));
        } catch (ProcessUnavailable | IOException e) {
            return Optional.empty();
        }
    }

    /** Returns true for a command of Mayfly, and for the JVM that renders for one. */
    static boolean isMayfly(CommandLine command) {
        return MAYFLY.contains(command.mainClass());
    }

    private static String bounded(String text) {
        return text.length() > MAX_TEXT_LENGTH ? text.substring(0, MAX_TEXT_LENGTH) : text;
    }

    /**
     * Returns the mapped libraries that are relevant here. If there are too many mappings to search, a program called
     * java is assumed to be a runtime: a command that names its process id reads all mappings.
     */
    private static Set<String> libraries(LiveProcess process, Consumer<String> problems) throws IOException {
        var libraries = new TreeSet<String>();
        try {
            process.forEachMapping(mapping -> {
                String name = fileName(mapping);
                if (ProcessRuntimes.isLibrary(name)) {
                    libraries.add(RUNTIME);
                } else if (AGENTS.contains(name) || isHost(name) && libraries.size() < MAX_HOSTS) {
                    libraries.add(name);
                } else if (CommandLine.isLaunchers(name)) {
                    libraries.add(LAUNCHER);
                }
            });
        } catch (ProcFileTooLarge e) {
            if (Path.of(process.facts().executable()).endsWith("java")) {
                libraries.addAll(Set.of(RUNTIME, LAUNCHER));
            }
            if (libraries.contains(RUNTIME)) {
                problems.accept("process " + process.pid() + " is listed without its version: it belongs to another"
                        + " user and has more mappings than a list reads");
            }
        }
        return libraries;
    }

    private static boolean isHost(String name) {
        return name.startsWith(HOST) && name.length() == HOST.length() + HostRecordFile.ADDRESS_DIGITS;
    }

    /** Returns the agents of a process and, of the hosts in it, the one in the runtime with this library. */
    private static List<String> attachedTo(RuntimeRow row, long library) {
        String host = HOST + String.format(Locale.ROOT, "%0" + HostRecordFile.ADDRESS_DIGITS + "x", library);
        return row.attached().stream()
                .filter(each -> !isHost(each) || each.equals(host))
                .toList();
    }

    /** Returns the row with one word for the names of all records. */
    static RuntimeRow withWordForHosts(RuntimeRow row) {
        return row.with(row.attached().stream()
                .map(each -> isHost(each) ? HOSTED : each)
                .distinct()
                .toList());
    }

    private static String fileName(Mapping mapping) {
        String path = mapping.originalPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Returns the rows of a process with the versions of its runtimes. A process that could block the reader is not
     * read.
     */
    private static List<RuntimeRow> withVersions(RuntimeRow row, Consumer<String> problems) {
        try (LiveProcess process = LiveProcess.open(row.pid())) {
            process.boundReads();
            String served = process.servedFile();
            if (!served.isEmpty()) {
                problems.accept("process " + row.pid() + " is not read: it has mapped " + served
                        + ", from a file system that an ordinary user may serve");
                return List.of(row);
            }
        } catch (ProcessUnavailable | IOException e) {
            return List.of(row);
        }
        return withVersions(row);
    }

    private static List<RuntimeRow> withVersions(RuntimeRow row) {
        try (InspectedProcess target = InspectedProcess.openForList(row.pid())) {
            return withVersions(
                    row,
                    ProcessUsage.of(target.process()).since(row.usage()),
                    target.commandLine(),
                    target.runtimes(),
                    target.unreadableVersion());
        } catch (Refused | IOException e) {
            return List.of(row);
        }
    }

    /** Returns a row for each runtime, or one with the version of the runtime that cannot be read. */
    static List<RuntimeRow> withVersions(
            RuntimeRow row,
            ProcessUsage usage,
            CommandLine command,
            List<? extends ManagedRuntime> runtimes,
            String unreadableVersion) {
        var rows = new ArrayList<RuntimeRow>();
        for (ManagedRuntime runtime : runtimes) {
            rows.add(new RuntimeRow(
                    row.pid(),
                    runtime.id(),
                    runtime.libraryStart(),
                    runtime.version(),
                    bounded(command.mainClass()),
                    bounded(command.arguments()),
                    row.user(),
                    usage,
                    attachedTo(row, runtime.libraryStart())));
        }
        return rows.isEmpty()
                ? List.of(new RuntimeRow(
                        row.pid(),
                        row.runtime(),
                        row.address(),
                        unreadableVersion,
                        row.mainClass(),
                        row.arguments(),
                        row.user(),
                        usage,
                        row.attached()))
                : rows;
    }

    /**
     * Upper bounds on the number of rows of a list: for each user id, so that a user without subordinate ids cannot
     * displace the runtimes of others, and in total. Any user can create many processes that look like runtimes, and
     * each row takes memory.
     */
    static final class RowLimit {
        private static final int OF_USER = 2_000;
        private static final int IN_ALL = 10_000;

        private final int maxOfUser;
        private final int maxInAll;
        private final Map<Integer, Integer> rows = new HashMap<>();
        private final Map<Integer, Integer> skipped = new HashMap<>();
        private int all;
        private int skippedInAll;

        RowLimit() {
            this(OF_USER, IN_ALL);
        }

        RowLimit(int maxOfUser, int maxInAll) {
            this.maxOfUser = maxOfUser;
            this.maxInAll = maxInAll;
        }

        /** Returns false, and counts a skipped process, if there is no room for another row of a user. */
        synchronized boolean hasRoom(int user) {
            if (all >= maxInAll) {
                skippedInAll++;
                return false;
            }
            if (rows.getOrDefault(user, 0) >= maxOfUser) {
                skipped.merge(user, 1, Integer::sum);
                return false;
            }
            return true;
        }

        /** Counts a row. */
        synchronized void add(int user) {
            all++;
            rows.merge(user, 1, Integer::sum);
        }

        /** Reports the processes that were skipped. */
        synchronized void report(UserNames users, Consumer<String> problems) {
            skipped.forEach((user, count) -> problems.accept(count + " processes of user " + users.nameOf(user)
                    + " were not read: a list has at most " + maxOfUser + " runtimes of one user"));
            if (skippedInAll > 0) {
                problems.accept(
                        skippedInAll + " processes were not read: a list has at most " + maxInAll + " runtimes");
            }
        }
    }
}
