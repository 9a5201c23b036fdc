package mayfly.attach.channel;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * What is attached to a process.
 *
 * @param state in one word: initializing, active, detaching or pinned
 * @param profiler its class: untrusted text
 * @param runtime which of the process's JVMs it is in, such as {@code r1}; empty if its profiler has not arrived yet
 * @param library where the library of that JVM begins
 * @param request the id of the request that attached it, 32 hexadecimal digits
 * @param attached how long ago
 * @param jvmti whether it took JVMTI
 * @param dormant whether its classes will stay when it is detached, because the JVM never unloads any
 * @param callbacks how many callbacks run now
 * @param longest the callback that has run longest, its name, thread id and time, as words; empty if none runs
 * @param overdue whether a detach takes longer than was announced
 * @param lost events for which there was no room
 * @param thrown callbacks that threw, which the application did not see
 * @param culprit what keeps a detached profiler from going: untrusted text; empty if nothing is known
 */
public record HostStatus(String state, String profiler, String runtime, long library, String request,
                         Duration attached, boolean jvmti, boolean dormant, long callbacks, String longest,
                         boolean overdue, long lost, long thrown, String culprit) {

    public static HostStatus of(HostRecord record) {
        Optional<Duration> detaching = record.detaching();
        return new HostStatus(record.state().name().toLowerCase(Locale.ROOT), record.profiler(),
                record.runtime() == 0 ? "" : "r" + record.runtime(), record.library(), record.request(), record.attached(),
                record.jvmti(), record.dormant(), record.callbacks(),
                record.longest().map(r -> r.callback() + " on thread " + r.tid() + " for " + r.since().toMillis() + " ms").orElse(""),
                detaching.isPresent() && detaching.get().compareTo(record.expected()) > 0,
                record.lost(), record.thrown(), record.culprit());
    }
}
