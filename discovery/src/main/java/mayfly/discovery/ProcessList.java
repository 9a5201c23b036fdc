package mayfly.discovery;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedRuntime;

/** The runtimes on this machine that this user may inspect. Mayfly's own processes are not among them. */
public final class ProcessList {
    /** Stands for any runtime's library among the mapped ones. */
    private static final String RUNTIME = "a runtime";
    private static final String LAUNCHER = "libjli.so";
    /** The record that Mayfly's host keeps in a target. */
    private static final String HOST = "memfd:mayfly-host";
    /** Files of java.lang.instrument, the debugger, the management agent, async-profiler and Mayfly. */
    private static final Set<String> AGENTS = Set.of("libinstrument.so", "libjdwp.so", "libmanagement_agent.so",
            "libasyncProfiler.so", HOST);

    /** Mayfly's own commands, as the launcher starts them, and the JVMs that render for them. */
    private static final Set<String> MAYFLY = Set.of("mayfly.cli/mayfly.cli.Main", "mayfly.cli.file.RenderingMain",
            "mayfly.cli/mayfly.cli.file.RenderingMain");
    /** Lower bound on the interval over which recent CPU time is measured: its resolution is 10 ms. */
    private static final long USAGE_NANOS = 200_000_000;

    /** Upper bound on the number of rows. Any user can create more processes, and each row takes memory. */
    private static final int MAX_ROWS = 10_000;
    private static final int MAX_NAME_LENGTH = 1_000;

    private ProcessList() {
    }

    /**
     * Returns all runtimes but Mayfly's own, by pid and runtime. A runtime that cannot be read is included, with its
     * version if that can be read. If the inspection of a process blocks this entire JVM, the kernel ends this process.
     *
     * @param problems gets a line for each process that could not be inspected as far as this user is permitted to
     */
    public static List<RuntimeRow> list(Consumer<String> problems) {
        Looks looks = Looks.withAlarm(problems);
        List<RuntimeRow> rows = list(looks, problems);
        looks.end();
        return rows;
    }

    /** Returns the same without the alarm that ends a blocked process. */
    public static List<RuntimeRow> list() {
        return list(new Looks(problem -> { }), problem -> { });
    }

    /**
     * Ends this process if an inspection by {@link #list} has not ended: the JVM's own exit could wait for it.
     *
     * @param status the exit status
     */
    public static void exitPastStuckLooks(int status) {
        Looks.exitPastStuck(status);
    }

    private static List<RuntimeRow> list(Looks looks, Consumer<String> problems) {
        var rows = new ArrayList<RuntimeRow>();
        long start = System.nanoTime();
        List<RuntimeRow> seen = seen(looks, problems);
        if (!seen.isEmpty()) {
            LockSupport.parkNanos(USAGE_NANOS - (System.nanoTime() - start));
        }
        for (RuntimeRow row : seen) {
            rows.addAll(looks.at(row.pid(), () -> withVersions(row, problems)).orElse(List.of(row)));
        }
        return rows;
    }

    /**
     * Returns the runtimes of a process with this id, or of processes whose main class, module or jar has this name.
     * The name matches as a whole or by its last part; if there is no such process, it matches any part. Versions are
     * left out.
     */
    public static List<RuntimeRow> match(String pidOrName) {
        List<RuntimeRow> rows = seen(new Looks(problem -> { }), problem -> { });
        List<Predicate<RuntimeRow>> closeness = List.of(
                row -> Integer.toString(row.pid()).equals(pidOrName) || row.mainClass().equals(pidOrName),
                row -> row.mainClass().endsWith("." + pidOrName) || row.mainClass().endsWith("/" + pidOrName),
                row -> row.mainClass().contains(pidOrName));
        for (Predicate<RuntimeRow> close : closeness) {
            List<RuntimeRow> matching = rows.stream().filter(close).toList();
            if (!matching.isEmpty()) {
                return matching;
            }
        }
        return List.of();
    }

    /** Returns one row for each process that has a libjvm mapped. */
    private static List<RuntimeRow> seen(Looks looks, Consumer<String> problems) {
        String[] names = new File("/proc").list((dir, name) -> name.matches("[0-9]{1,9}"));
        if (names == null) {
            return List.of();
        }
        long self = ProcessHandle.current().pid();
        var users = UserNames.read();
        var rows = new ArrayList<RuntimeRow>();
        for (int pid : Arrays.stream(names).mapToInt(Integer::parseInt).sorted().toArray()) {
            if (pid != self && rows.size() < MAX_ROWS) {
                looks.at(pid, () -> row(pid, users, problems)).flatMap(row -> row).ifPresent(rows::add);
            }
        }
        return rows;
    }

    /** Returns empty for a process that has no runtime, that this user may not inspect, or that has ended meanwhile. */
    private static Optional<RuntimeRow> row(int pid, UserNames users, Consumer<String> problems) {
        try (LiveProcess process = LiveProcess.open(pid)) {
            process.boundLooks();
            Set<String> libraries = libraries(process, problems);
            if (!libraries.remove(RUNTIME)) {
                return Optional.empty();
            }
            String main = CommandLine.of(process, libraries.remove(LAUNCHER)).mainClass();
            if (MAYFLY.contains(main)) {
                return Optional.empty();
            }
            return Optional.of(new RuntimeRow(pid, new RuntimeId(1), 0, "",
                    main.length() > MAX_NAME_LENGTH ? main.substring(0, MAX_NAME_LENGTH) : main,
                    users.nameOf(process.status().uid()), ProcessUsage.of(process), List.copyOf(libraries)));
        } catch (ProcessUnavailable | IOException e) {
            return Optional.empty();
        }
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
                } else if (AGENTS.contains(name)) {
                    libraries.add(name.equals(HOST) ? "mayfly" : name);
                } else if (CommandLine.isLaunchers(name)) {
                    libraries.add(LAUNCHER);
                }
            });
        } catch (ProcFileTooLarge e) {
            if (Path.of(process.executable()).endsWith("java")) {
                libraries.addAll(Set.of(RUNTIME, LAUNCHER));
            }
            if (libraries.contains(RUNTIME)) {
                problems.accept("process " + process.pid() + " is listed without its version: it has more mappings"
                        + " than a list reads of another user's process");
            }
        }
        return libraries;
    }

    private static String fileName(Mapping mapping) {
        String path = mapping.isDeleted() ? mapping.path().substring(0, mapping.path().lastIndexOf(" (deleted)"))
                : mapping.path();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Reads nothing from a process that could block the reader. */
    private static List<RuntimeRow> withVersions(RuntimeRow row, Consumer<String> problems) {
        try (LiveProcess process = LiveProcess.open(row.pid())) {
            process.boundLooks();
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
            var rows = new ArrayList<RuntimeRow>();
            ProcessUsage usage = ProcessUsage.of(target.process()).since(row.usage());
            String mainClass = target.commandLine().mainClass();
            for (ManagedRuntime runtime : target.runtimes()) {
                rows.add(new RuntimeRow(row.pid(), runtime.id(), runtime.libraryStart(), runtime.version(),
                        mainClass, row.user(), usage, row.attached()));
            }
            return rows.isEmpty() ? List.of(new RuntimeRow(row.pid(), row.runtime(), row.address(),
                    target.unreadableVersion(), row.mainClass(), row.user(), usage, row.attached())) : rows;
        } catch (SessionRefused | IOException e) {
            return List.of(row);
        }
    }
}
