package mayfly.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import mayfly.discovery.ProcessRuntimes;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.hotspot.inventory.RegistrationQueries;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.runtime.FoundRuntime;
import mayfly.unwind.NativeCode;

/**
 * The items in a process that a profiler could have left there. The process is only read, from outside: it is not
 * affected, and it may be stopped.
 *
 * @param process the process
 * @param time the time of the audit
 * @param runtimes its JVMs with their versions
 * @param sections one section for each kind
 */
public record Audit(Identity process, Instant time, List<String> runtimes, Map<AuditKind, AuditSection> sections) {
    /** The JVM's thread that samples CPU time, by its own name or the names that the kernel reports for it. */
    private static final Pattern CPU_SAMPLER =
            Pattern.compile("\"?JFR CPU( Sampler( Thread)?|\\.\\.Thread)\"? of the JVM");

    public Audit {
        runtimes = List.copyOf(runtimes);
        sections = Collections.unmodifiableMap(new EnumMap<>(sections));
    }

    /**
     * Identifies a process uniquely, even if its id is reused.
     *
     * @param pid its id in its own pid namespace
     * @param startTicks the time of its start, clock ticks since boot
     * @param boot the kernel's id of that boot
     */
    public record Identity(int pid, long startTicks, String boot) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "process %d, started %.2f s after boot %s", pid, startTicks / 100.0, boot);
        }
    }

    /** Reads one kind. */
    private interface Reading {
        void addTo(Items items) throws IOException, NotSeen, Undetermined;
    }

    /**
     * Audits a process.
     *
     * @throws Refused if there is no process with this id, if it may not be inspected, or if it is not a JVM
     */
    public static Audit of(int pid) throws Refused {
        try (LiveProcess process = Refusals.open(pid)) {
            try {
                Audit audit = of(process);
                Refusals.requireNotEnding(process);
                if (audit.runtimes().isEmpty()) {
                    throw Refusals.noRuntime(process, null);
                }
                return audit;
            } catch (IOException e) {
                throw Refusals.unreadable(process, e);
            }
        }
    }

    /**
     * Reads only the JVMTI environments of a process.
     *
     * @throws Refused if there is no process with this id, or if it may not be inspected
     */
    public static AuditSection environmentsOf(int pid) throws Refused {
        try (LiveProcess process = Refusals.open(pid)) {
            try {
                ProcessRuntimes all = ProcessRuntimes.read(process);
                ProcessReader kernel =
                        new ProcessReader(new LiveAuditedProcess(process), process.mappings(), all.code());
                var unused = section(AuditKind.MAPPINGS, kernel::mappings); // finds the pages of hosts
                VmReader vm = new VmReader(new FoundVms(all), kernel.redefinitions());
                return section(AuditKind.JVMTI_ENVIRONMENTS, vm::environments);
            } catch (IOException e) {
                throw Refusals.unreadable(process, e);
            }
        }
    }

    /**
     * Audits an open process.
     *
     * @throws IOException if it has ended, or may not be inspected
     */
    public static Audit of(LiveProcess process) throws IOException {
        List<Mapping> mappings = process.mappings();
        ProcessRuntimes all = ProcessRuntimes.read(process);
        return of(new LiveAuditedProcess(process), mappings, all.code(), new FoundVms(all));
    }

    static Audit of(AuditedProcess process, List<Mapping> mappings, NativeCode code, AuditedVms vms)
            throws IOException {
        ProcessReader kernel = new ProcessReader(process, mappings, code);
        AuditSection mapped = section(AuditKind.MAPPINGS, kernel::mappings);
        VmReader vm = new VmReader(vms, kernel.redefinitions());
        Map<Integer, KnownThread> threads = vm.threads();
        Map<AuditKind, AuditSection> sections = new EnumMap<>(AuditKind.class);
        for (AuditKind kind : AuditKind.values()) {
            sections.put(
                    kind,
                    switch (kind) {
                        case THREADS -> section(kind, items -> kernel.threads(items, threads));
                        case DESCRIPTORS -> section(kind, kernel::descriptors);
                        case MAPPINGS -> mapped;
                        case CODE_PAGES -> section(kind, kernel::codePages);
                        case SOCKETS -> section(kind, kernel::sockets);
                        case FILES -> section(kind, kernel::files);
                        case CLASS_LOADERS -> section(kind, vm::loaders);
                        case CLASSES -> section(kind, vm::classes);
                        case TRANSFORMED_CLASSES -> section(kind, vm::transformed);
                        case SIGNAL_HANDLERS ->
                            section(kind, items -> kernel.signals(items, vm.signalsOfJava(), samplesCpuTime(sections)));
                        case JVMTI_ENVIRONMENTS -> section(kind, vm::environments);
                        case AGENTS -> section(kind, kernel::agents);
                        case FLAGS -> section(kind, vm::flags);
                        case SYSTEM_PROPERTIES -> section(kind, vm::properties);
                        case SHUTDOWN_HOOKS -> section(kind, i -> vm.registered(i, RegistrationQueries::shutdownHooks));
                        case EXCEPTION_HANDLERS ->
                            section(kind, i -> vm.registered(i, RegistrationQueries::uncaughtExceptionHandlers));
                        case MBEANS -> section(kind, i -> vm.registered(i, RegistrationQueries::mbeans));
                        case FLIGHT_RECORDINGS ->
                            section(kind, i -> vm.registered(i, RegistrationQueries::flightRecordings));
                        case LOG_OUTPUTS -> section(kind, vm::logOutputs);
                        case LOG_LEVELS -> section(kind, i -> vm.registered(i, RegistrationQueries::logLevels));
                        case CHILD_PROCESSES -> section(kind, kernel::children);
                    });
        }
        Identity identity = new Identity(
                process.innermostPid(),
                process.startTicks(),
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip());
        return new Audit(
                identity,
                Instant.now(),
                vms.present().stream().map(FoundRuntime::line).toList(),
                sections);
    }

    private static boolean samplesCpuTime(Map<AuditKind, AuditSection> sections) {
        AuditSection threads = sections.get(AuditKind.THREADS);
        return threads != null
                && threads.items().keySet().stream()
                        .anyMatch(item -> CPU_SAMPLER.matcher(item).matches());
    }

    /** Returns the section of one kind. */
    public AuditSection section(AuditKind kind) {
        AuditSection section = sections.get(kind);
        return section == null ? AuditSection.unseen(kind, "an older Mayfly did not read this kind") : section;
    }

    /** The owner of an item, if it is certain. */
    public enum Owner {
        /** A profiler attached by Mayfly, or one whose removal is incomplete. */
        MAYFLY,
        /** Items that Mayfly, or another user of JVMTI, cannot remove. */
        REMAINS,
        /** Another agent. */
        AGENT,
        /** The program or the JVM, or an unknown owner. */
        UNKNOWN
    }

    /**
     * Returns the owner of an item. The owner of a transformed class is uncertain while the flight recorder transforms
     * classes.
     */
    public Owner owner(AuditKind kind, String item) {
        return kind == AuditKind.TRANSFORMED_CLASSES && hasFlightRecorder()
                ? Owner.UNKNOWN
                : Rule.came(kind, item).owner();
    }

    /** Returns true if the JVM's flight recorder has been used. */
    boolean hasFlightRecorder() {
        return section(AuditKind.JVMTI_ENVIRONMENTS).items().keySet().stream()
                .anyMatch(item -> Rule.came(AuditKind.JVMTI_ENVIRONMENTS, item) == Rule.FLIGHT_RECORDER);
    }

    /**
     * Returns the number of items of each kind that certainly belong to an owner; kinds without such items are left
     * out.
     */
    public Map<AuditKind, Long> of(Owner owner) {
        Map<AuditKind, Long> counts = new EnumMap<>(AuditKind.class);
        sections.forEach((kind, section) -> section.items().forEach((item, count) -> {
            if (owner(kind, item) == owner) {
                counts.merge(kind, count, Long::sum);
            }
        }));
        return counts;
    }

    private static AuditSection section(AuditKind kind, Reading reading) {
        Items items = new Items();
        try {
            reading.addTo(items);
            return AuditSection.seen(kind, items.counts());
        } catch (NotSeen e) {
            return AuditSection.unseen(kind, e.reason());
        } catch (Undetermined | IOException e) {
            return AuditSection.unseen(kind, String.valueOf(e.getMessage()));
        }
    }
}
