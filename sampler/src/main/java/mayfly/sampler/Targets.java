package mayfly.sampler;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import mayfly.hotspot.HotSpot;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;

/** The runtimes on this machine that this user may see. Our own is not among them. */
public final class Targets {
    private static final String LIBRARY = "libjvm.so";
    /**
     * What agents come as: java.lang.instrument's, the debugger's, the management agent's, async-profiler's; and the record of the
     * host that has a profiler of ours.
     */
    private static final Set<String> AGENTS = Set.of("libinstrument.so", "libjdwp.so", "libmanagement_agent.so",
            "libasyncProfiler.so", "memfd:mayfly-host");

    private Targets() {
    }

    /** All of them, by pid and runtime. One whose version cannot be read is there without it. */
    public static List<RuntimeRow> list() {
        var rows = new ArrayList<RuntimeRow>();
        for (RuntimeRow row : seen()) {
            rows.addAll(withVersions(row));
        }
        return rows;
    }

    /**
     * Those of a process with this id, or of processes whose main class, module or jar has this name: the whole name or
     * its last part if there are such, else any part. Versions are left out.
     */
    public static List<RuntimeRow> match(String pidOrName) {
        List<RuntimeRow> rows = seen();
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

    /** One row for each process that has a libjvm mapped. */
    private static List<RuntimeRow> seen() {
        String[] names = new File("/proc").list((dir, name) -> name.matches("[0-9]{1,9}"));
        if (names == null) {
            return List.of();
        }
        long self = ProcessHandle.current().pid();
        var users = UserNames.read();
        var rows = new ArrayList<RuntimeRow>();
        for (int pid : Arrays.stream(names).mapToInt(Integer::parseInt).sorted().toArray()) {
            if (pid != self) {
                addRow(pid, users, rows);
            }
        }
        return rows;
    }

    private static void addRow(int pid, UserNames users, List<RuntimeRow> rows) {
        try (LiveProcess process = LiveProcess.open(pid)) {
            var libraries = new LinkedHashSet<String>();
            for (Mapping mapping : process.mappings()) {
                libraries.add(fileName(mapping));
            }
            if (libraries.contains(LIBRARY)) {
                rows.add(new RuntimeRow(pid, new RuntimeId(1), "", CommandLine.of(process).mainClass(),
                        users.nameOf(process.status().uid()), libraries.stream().filter(AGENTS::contains).toList()));
            }
        } catch (ProcessUnavailable | IOException e) {
            // Somebody else's, or gone meanwhile: not one that this user may see.
            return;
        }
    }

    private static String fileName(Mapping mapping) {
        String path = mapping.isDeleted() ? mapping.path().substring(0, mapping.path().lastIndexOf(" (deleted)"))
                : mapping.path();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static List<RuntimeRow> withVersions(RuntimeRow row) {
        try (Target target = Target.open(row.pid())) {
            var rows = new ArrayList<RuntimeRow>();
            for (HotSpot runtime : target.runtimes()) {
                rows.add(new RuntimeRow(row.pid(), runtime.id(), runtime.version(), row.mainClass(), row.user(),
                        row.attached()));
            }
            return rows.isEmpty() ? List.of(row) : rows;
        } catch (SessionRefused e) {
            return List.of(row);
        }
    }
}
