package mayfly.attach.channel;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The profiler attached to a process.
 *
 * @param state its state in one word: initializing, active, detaching or pinned
 * @param profiler its class: untrusted text
 * @param runtime the id of its JVM in the process, such as {@code r1}; empty if the host has not received the profiler
 *         yet
 * @param library the start address of that JVM's library
 * @param request the id of the request that attached it, 32 hexadecimal digits
 * @param attached the time since the attach
 * @param jvmti true if it uses JVMTI
 * @param remainingClasses true if its classes will remain after the detach, because the JVM never unloads classes
 * @param callbacks the number of callbacks that are running
 * @param longest the name, thread id and duration of the callback that has run longest, as text; empty if none runs
 * @param overdue true if a detach takes longer than announced
 * @param lost the number of events dropped for lack of space
 * @param thrown the number of callbacks that threw an exception, which the application did not see
 * @param collections the number of collections that the host requested to make room for a large attach or command
 * @param collecting the duration of these collections
 * @param framesOfReplacedCode the number of frames that ran replaced code when the host last counted them
 * @param unmarkedRedefinitions the number of times that the host has redefined classes without a record for later
 *     audits
 * @param pinnedBy what retains a detached profiler: untrusted text; empty if unknown
 */
public record HostStatus(
        String state,
        String profiler,
        String runtime,
        long library,
        String request,
        Duration attached,
        boolean jvmti,
        boolean remainingClasses,
        long callbacks,
        String longest,
        boolean overdue,
        long lost,
        long thrown,
        long collections,
        Duration collecting,
        long framesOfReplacedCode,
        long unmarkedRedefinitions,
        String pinnedBy) {

    public static HostStatus of(HostRecord record) {
        Optional<Duration> detaching = record.detaching();
        return new HostStatus(
                record.state().name().toLowerCase(Locale.ROOT),
                record.profiler(),
                record.id().orElse(""),
                record.library(),
                record.request(),
                record.attached(),
                record.jvmti(),
                record.remainingClasses(),
                record.callbacks(),
                record.longest()
                        .map(r -> r.callback() + " on thread " + r.tid() + " for "
                                + r.since().toMillis() + " ms")
                        .orElse(""),
                detaching.isPresent() && detaching.get().compareTo(record.expected()) > 0,
                record.lost(),
                record.thrown(),
                record.collections(),
                record.collecting(),
                record.framesOfReplacedCode(),
                record.unmarkedRedefinitions(),
                record.pinnedBy());
    }
}
