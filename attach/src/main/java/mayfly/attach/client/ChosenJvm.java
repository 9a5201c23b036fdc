package mayfly.attach.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.listener.AskedJvm;
import mayfly.attach.listener.AttachListener;
import mayfly.attach.listener.JvmCapabilities;
import mayfly.discovery.ProcessRuntimes;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeProblem;
import mayfly.unwind.NativeModule;

/**
 * The JVM that a profiler is attached to.
 *
 * @param feature the feature version of its Java
 * @param id its id, which does not change during the life of the process
 * @param start the start address of its libjvm, by which a host identifies it
 * @param alone true if no other libjvm is mapped
 */
record ChosenJvm(int feature, RuntimeId id, long start, boolean alone) {

    /** A JVM that has started and was not destroyed. */
    record Running(FoundRuntime found, ManagedRuntime runtime) {}

    /**
     * Chooses the JVM of a process, without any effect on the process.
     *
     * @param wanted the choice among several; empty if only one JVM runs in the process
     * @throws AttachFailed if there is no such JVM, or if it would not handle the signal that starts its attach
     *     listener: it has not started, is stopped, or refuses attaches
     * @throws IOException if the process has ended, or may not be read
     */
    static ChosenJvm of(LiveProcess process, Optional<RuntimeId.Choice> wanted) throws IOException, AttachFailed {
        ProcessRuntimes all = readable(process);
        AttachListener.requireTakesSignals(AskedJvm.of(process));
        if (JvmCapabilities.refusesAttach(process)) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the JVM of process " + process.pid() + " was started with -XX:+DisableAttachMechanism");
        }
        List<NativeModule> libraries = all.libraries();
        if (libraries.size() == 1
                && wanted.filter(choice -> !choice.words().equals("r1")).isEmpty()) {
            NativeModule library = libraries.getFirst();
            int feature = SupportedJava.require(process, library.path());
            return new ChosenJvm(feature, new RuntimeId(1), library.start(), true);
        }
        all.open(process);
        Running chosen = choose(all.present(), wanted);
        return new ChosenJvm(
                SupportedJava.require(process, chosen.found.module().path()),
                chosen.runtime.id(),
                chosen.found.module().start(),
                libraries.size() == 1);
    }

    private static ProcessRuntimes readable(LiveProcess process) throws IOException, AttachFailed {
        ProcessRuntimes all = ProcessRuntimes.of(process);
        if (all.libraries().isEmpty()) {
            throw new AttachFailed(Refusals.noRuntime(process, null));
        }
        Optional<RuntimeProblem> refusal = all.refusal();
        if (refusal.isPresent()) {
            throw new AttachFailed(Refusals.noRuntime(process, refusal.get()));
        }
        return all;
    }

    /**
     * Returns the start address of the library of a JVM, even if the process is stopped.
     *
     * @throws AttachFailed if there is no such JVM, or more than one
     * @throws IOException if the process has ended, or may not be read
     */
    static long addressOf(LiveProcess process, RuntimeId.Choice wanted) throws IOException, AttachFailed {
        ProcessRuntimes all = readable(process);
        all.open(process);
        return choose(all.present(), Optional.of(wanted)).found().module().start();
    }

    /**
     * Returns the ids of the JVMs of a process that a choice is for, in their order.
     *
     * @param wanted all, or a list
     * @throws AttachFailed if no JVM runs, or if a choice of a list does not fit exactly one
     * @throws IOException if the process has ended, or may not be read
     */
    static List<RuntimeId> several(LiveProcess process, RuntimeId.Choice wanted) throws IOException, AttachFailed {
        ProcessRuntimes all = readable(process);
        all.open(process);
        return several(all.present(), wanted);
    }

    /** Returns the ids of all running JVMs, or of the one that fits each choice of a list; each id once. */
    static List<RuntimeId> several(List<FoundRuntime> found, RuntimeId.Choice wanted) throws AttachFailed {
        List<Running> chosen = new ArrayList<>(wanted.isAll() ? fitting(found, Optional.of(wanted)) : List.of());
        for (RuntimeId.Choice each : wanted.isAll() ? List.<RuntimeId.Choice>of() : wanted.each()) {
            chosen.add(choose(found, Optional.of(each)));
        }
        return chosen.stream()
                .map(vm -> vm.runtime.id())
                .distinct()
                .sorted(Comparator.comparingInt(RuntimeId::number))
                .toList();
    }

    /**
     * Chooses one of several JVMs.
     *
     * @throws AttachFailed if none of them runs or matches, or if more than one does
     */
    static Running choose(List<FoundRuntime> found, Optional<RuntimeId.Choice> wanted) throws AttachFailed {
        List<Running> fitting = fitting(found, wanted);
        if (fitting.size() > 1) {
            throw new AttachFailed(
                    new Refused(Reason.AMBIGUOUS, "the process has " + names(fitting) + ": --runtime chooses one", ""));
        }
        return fitting.getFirst();
    }

    /** Returns the running JVMs that a choice fits; all running ones if there is no choice. */
    private static List<Running> fitting(List<FoundRuntime> found, Optional<RuntimeId.Choice> wanted)
            throws AttachFailed {
        List<String> problems = new ArrayList<>();
        List<Running> running = new ArrayList<>();
        for (FoundRuntime each : found) {
            ManagedRuntime runtime = each.runtime();
            if (runtime == null) {
                problems.add(each.problemText());
            } else if (runtime.isDestroyed()) {
                problems.add(name(runtime) + " has been destroyed by its program");
            } else {
                running.add(new Running(each, runtime));
            }
        }
        if (running.isEmpty()) {
            throw noneRuns(found, "the process has no JVM that runs: " + String.join("; ", problems));
        }
        List<Running> fitting = running.stream()
                .filter(vm -> wanted.isEmpty() || wanted.get().fits(vm.runtime.id(), vm.runtime.version()))
                .toList();
        if (wanted.isPresent() && fitting.isEmpty()) {
            throw new AttachFailed(new Refused(
                    Reason.NO_SUCH_RUNTIME,
                    "the process has " + names(running) + ", no " + wanted.get()
                            + problems.stream().map(problem -> "; " + problem).collect(Collectors.joining()),
                    ""));
        }
        return fitting;
    }

    private static String names(List<Running> running) {
        return running.stream().map(vm -> name(vm.runtime)).collect(Collectors.joining(", "));
    }

    private static AttachFailed noneRuns(List<FoundRuntime> found, String message) {
        boolean isStarting = found.stream()
                .map(FoundRuntime::problem)
                .anyMatch(problem -> problem != null && problem.reason() == RuntimeProblem.Reason.STARTING);
        return isStarting
                ? new AttachFailed(new Refused(Reason.JVM_STARTING, message, "try again in a moment"))
                : new AttachFailed(Status.RUNTIME_NOT_LOADED, message);
    }

    private static String name(ManagedRuntime runtime) {
        return runtime.id() + " (" + runtime.version() + ")";
    }
}
