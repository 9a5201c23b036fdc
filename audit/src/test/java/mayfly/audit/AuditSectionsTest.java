package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mayfly.hotspot.inventory.JvmtiState;
import mayfly.hotspot.inventory.JvmtiState.Environment;
import mayfly.hotspot.inventory.LoadedClasses;
import mayfly.hotspot.inventory.LoadedClasses.Loaded;
import mayfly.hotspot.inventory.ThreadOwner;
import mayfly.process.TargetThread;
import mayfly.unwind.NativeCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sections of an audit of a scripted process: a kind that cannot be read leaves the others complete. */
class AuditSectionsTest {
    @TempDir
    private Path root;

    private final ScriptedVms vms = new ScriptedVms();
    private final ScriptedInventory vm = new ScriptedInventory();
    private ScriptedProcess process;

    @BeforeEach
    void open() throws Exception {
        process = new ScriptedProcess(root);
        vms.add(vm, Map.of(9, "main"));
    }

    @AfterEach
    void close() {
        process.close();
    }

    private Audit audit() throws Exception {
        return Audit.of(process, List.of(), NativeCode.of(process.own()), vms);
    }

    private static Set<AuditKind> unseen(Audit audit) {
        return audit.sections().values().stream()
                .filter(section -> !section.isSeen())
                .map(AuditSection::kind)
                .collect(Collectors.toSet());
    }

    @Test
    void everyKindHasASectionAndTheJvmsAreNamed() throws Exception {
        Audit audit = audit();
        assertThat(audit.sections()).containsOnlyKeys(AuditKind.values());
        assertThat(unseen(audit)).isEmpty();
        assertThat(audit.runtimes()).containsExactly("r1 HotSpot 25 at 0x1000");
        assertThat(audit.process().pid()).isEqualTo(ScriptedProcess.PID);
        assertThat(audit.process().startTicks()).isEqualTo(1234);
    }

    @Test
    void kindsThatStayInconsistentAreNotSeenWithTheirReason() throws Exception {
        vm.undetermined.put("classes", "it changes while it is read");
        Audit audit = audit();
        assertThat(unseen(audit))
                .isEqualTo(EnumSet.of(AuditKind.CLASSES, AuditKind.CLASS_LOADERS, AuditKind.TRANSFORMED_CLASSES));
        assertThat(audit.section(AuditKind.CLASSES).problem()).isEqualTo("it changes while it is read");
        assertThat(audit.section(AuditKind.CLASSES).items()).isEmpty();
    }

    @Test
    void strippedLibraryHidesOnlyTheKindsThatNeedItsSymbols() throws Exception {
        vm.undetermined.put("jvmti", "this libjvm.so is stripped");
        vm.undetermined.put("logs", "this libjvm.so is stripped");
        vm.classes = new LoadedClasses(List.of(), List.of(new Loaded("a.B", "boot", false)), false);
        Audit audit = audit();
        assertThat(unseen(audit))
                .isEqualTo(
                        EnumSet.of(AuditKind.JVMTI_ENVIRONMENTS, AuditKind.LOG_OUTPUTS, AuditKind.TRANSFORMED_CLASSES));
        assertThat(audit.section(AuditKind.CLASSES).items()).containsOnlyKeys("a.B in boot");
    }

    @Test
    void listThatExceedsTheLimitIsNotSeenInPart() throws Exception {
        vm.registered = IntStream.rangeClosed(0, Items.MAX_ITEMS)
                .mapToObj(number -> "hook " + number)
                .toList();
        Audit audit = audit();
        assertThat(unseen(audit)).isEqualTo(EnumSet.of(AuditKind.SHUTDOWN_HOOKS));
        assertThat(audit.section(AuditKind.SHUTDOWN_HOOKS).items()).isEmpty();
    }

    @Test
    void oneOfSeveralJvmsThatCannotBeReadHidesTheKindsOfAllJvms() throws Exception {
        vms.addUnreadable("its tables contradict each other");
        Audit audit = audit();
        assertThat(audit.section(AuditKind.FLAGS).problem()).contains("its tables contradict each other");
        assertThat(unseen(audit))
                .contains(AuditKind.CLASSES, AuditKind.SIGNAL_HANDLERS)
                .doesNotContain(AuditKind.THREADS, AuditKind.DESCRIPTORS, AuditKind.FILES);
        assertThat(audit.runtimes()).hasSize(2);
    }

    @Test
    void endOfTheProcessHidesWhatTheKernelNoLongerReports() throws Exception {
        process.hasEnded = true;
        Audit audit = audit();
        assertThat(unseen(audit))
                .contains(AuditKind.THREADS, AuditKind.DESCRIPTORS, AuditKind.SOCKETS, AuditKind.SIGNAL_HANDLERS);
        assertThat(audit.section(AuditKind.THREADS).problem()).contains("/proc/7");
    }

    @Test
    void samplerOfTheFlightRecorderExplainsItsSignal() throws Exception {
        process.caught = 1L << 27 - 1;
        assertThat(audit().section(AuditKind.SIGNAL_HANDLERS).items()).containsOnlyKeys("SIGPROF has a handler");
        process.threads.add(new TargetThread(9, "main", 'S', 1, 0, 0));
        vm.owners.put(9, ThreadOwner.VM);
        assertThat(audit().section(AuditKind.THREADS).items()).containsOnlyKeys("\"main\" of the JVM");
        vms.present().clear();
        vms.add(vm, Map.of(9, "JFR CPU Sampler Thread"));
        assertThat(audit().section(AuditKind.SIGNAL_HANDLERS).items())
                .containsOnlyKeys("SIGPROF has a handler, and the flight recorder samples CPU time");
    }

    @Test
    void transformedClassHasNoCertainOwnerOnceTheFlightRecorderWasUsed() throws Exception {
        vm.classes = new LoadedClasses(List.of(), List.of(new Loaded("a.B", "app", true)), true);
        Audit before = audit();
        vm.jvmti = new JvmtiState(List.of(new Environment(false, true, List.of())), List.of(), 1);
        Audit after = audit();
        assertThat(before.owner(AuditKind.TRANSFORMED_CLASSES, "a.B in app")).isNotEqualTo(Audit.Owner.UNKNOWN);
        assertThat(after.owner(AuditKind.TRANSFORMED_CLASSES, "a.B in app")).isEqualTo(Audit.Owner.UNKNOWN);
    }
}
