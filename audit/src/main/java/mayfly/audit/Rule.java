package mayfly.audit;

import static mayfly.audit.Audit.Owner.*;
import static mayfly.audit.AuditKind.*;
import static mayfly.audit.Verdict.*;

import java.util.regex.Pattern;
import mayfly.audit.Audit.Owner;
import mayfly.wire.AnchorPage;
import mayfly.wire.HostName;
import org.jspecify.annotations.Nullable;

/**
 * Maps a new item in a process to a verdict, by the names in its description. The first matching rule of a kind
 * applies. The allowed items are those that docs/footprint.md lists.
 *
 * <p>Names can be forged. A Java thread of the program with the name of another owner's thread is identified by its
 * task. A native thread with such a name is not identified, and neither is a profiler that uses the names of the
 * program.
 */
enum Rule {
    HOST_THREAD(
            THREADS,
            "\"?(" + HostName.THREAD + "|" + HostName.CHANNEL_THREAD + ")\"?",
            LEFTOVER,
            MAYFLY,
            "a thread of Mayfly's host"),
    ATTACH_LISTENER(
            THREADS,
            "\"?Attach Listener\"?( of the JVM)?",
            LEFTOVER,
            UNKNOWN,
            "the JVM's attach listener, started by an attach or by jcmd; Mayfly stops it if it was not running before"),
    ASYNC_PROFILER_THREAD(THREADS, "\"?Async-profiler[^\"]*\"?", LEFTOVER, Owner.AGENT, "a thread of async-profiler"),
    JVM_THREAD(
            THREADS,
            ".* of the (JVM|JDK)",
            CHANGED,
            UNKNOWN,
            "the JVM and the JDK start and end such threads by themselves"),
    THREAD(THREADS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a thread of the program"),

    HOST_RECORD(
            DESCRIPTORS,
            Names.HOST_FILES,
            LEFTOVER,
            MAYFLY,
            "the record of Mayfly's host, or the socket of its channel"),
    RANDOM(
            DESCRIPTORS,
            "/dev/u?random",
            CHANGED,
            UNKNOWN,
            "the JDK's security providers keep it open once they have been used"),
    JAR(
            DESCRIPTORS,
            ".*\\.jar( \\(deleted\\))?",
            CHANGED,
            UNKNOWN,
            "a jar on the class path: the program's, or a Java agent's"),
    DESCRIPTOR(DESCRIPTORS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from one that the program opened"),

    HOST_LIBRARY(MAPPINGS, Names.HOST_FILES, LEFTOVER, MAYFLY, "the library of Mayfly's host"),
    ANCHOR_PAGE(
            MAPPINGS,
            "anonymous page " + AnchorPage.MAGIC + ".*",
            ALLOWED,
            REMAINS,
            "the page that marks the empty JVMTI environment"),
    AGENT_LIBRARY(
            MAPPINGS,
            ".*/(libinstrument|libjdwp|libasyncProfiler)\\.so",
            LEFTOVER,
            Owner.AGENT,
            "the library of an agent"),
    MAPPING(MAPPINGS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from one that the program or the JDK mapped"),

    CODE_PAGE(
            CODE_PAGES,
            ".*",
            LEFTOVER,
            UNKNOWN,
            "a breakpoint of a profiler, a tracer or a debugger is in the page, or was"),

    HOST_SOCKET(SOCKETS, "unix /.*/\\" + HostName.FILE + ".*", LEFTOVER, MAYFLY, "the channel of Mayfly's host"),
    ATTACH_SOCKET(
            SOCKETS,
            "unix .*/\\.java_pid\\d+(\\.tmp)?( listening)?",
            LEFTOVER,
            UNKNOWN,
            "the socket of the JVM's attach listener, left behind by an attach"),
    SOCKET(SOCKETS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a connection of the program"),

    HOST_FILE(FILES, "/tmp/\\" + HostName.FILE + ".*", LEFTOVER, MAYFLY, "a file of Mayfly's host"),
    ATTACH_FILE(FILES, ".*", LEFTOVER, UNKNOWN, "a file of the JVM's attach mechanism, left behind by an attach"),

    HOST_LOADER(
            CLASS_LOADERS,
            "mayfly\\.host\\..*|.*, first class mayfly\\.host\\..*",
            LEFTOVER,
            MAYFLY,
            "the loader of a profiler's classes"),
    REFLECTION_LOADER(
            CLASS_LOADERS,
            "jdk\\.internal\\.reflect\\..*",
            CHANGED,
            UNKNOWN,
            "the JDK makes one for a method that is often called by reflection"),
    LOADER(CLASS_LOADERS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a loader that the program made"),

    HOST_CLASS(
            CLASSES,
            ".* in mayfly\\.host\\..*|mayfly\\.host\\..*",
            LEFTOVER,
            MAYFLY,
            "a class of Mayfly's host, or of its profiler"),
    JAVA_AGENT_CLASS(
            CLASSES, "sun\\.instrument\\..*", LEFTOVER, Owner.AGENT, "a class that the JVM needs for a Java agent"),
    JDK_CLASS(
            CLASSES,
            "\\[*(L?(java|javax|jdk|sun|com\\.sun|com\\.oracle|netscape|org\\.(jcp|xml|w3c|ietf|graalvm))\\..*"
                    + "|[BCDFIJSZ](\\[])*) in (boot|platform)",
            ALLOWED,
            UNKNOWN,
            "a class of the JDK that was used for the first time"),
    BOOT_CLASS(
            CLASSES,
            ".* in boot",
            LEFTOVER,
            Owner.AGENT,
            "in the boot loader, but not a class of the JDK: agents and -Xbootclasspath/a add such classes"),
    CLASS(CLASSES, ".*", CHANGED, UNKNOWN, "of a loader that the program uses"),

    PROBED(
            TRANSFORMED_CLASSES,
            ".*, for probes",
            ALLOWED,
            REMAINS,
            "a host has redefined it for probes, and verifies at the detach that it is restored"),
    TRANSFORMED(TRANSFORMED_CLASSES, ".*", LEFTOVER, Owner.AGENT, "only an agent, or a debugger, redefines classes"),

    NETWORK_SIGNAL(
            SIGNAL_HANDLERS,
            "signal 62 has a handler, and libnet or libnio is loaded",
            CHANGED,
            UNKNOWN,
            "the JDK ends blocked calls with this signal once a program has used a socket or channel"),
    SAMPLE_SIGNAL(
            SIGNAL_HANDLERS,
            "SIGPROF has a handler, and the flight recorder samples CPU time",
            CHANGED,
            UNKNOWN,
            "the flight recorder samples CPU time with this signal"),
    JAVA_SIGNAL(
            SIGNAL_HANDLERS,
            ".* (has a handler|is ignored), set in Java",
            CHANGED,
            UNKNOWN,
            "Java code has set it through the JDK's sun.misc.Signal"),
    SIGNAL(
            SIGNAL_HANDLERS,
            ".*",
            LEFTOVER,
            UNKNOWN,
            "native code has set it: the JVM sets its own handlers when it starts"),

    ANCHOR(
            JVMTI_ENVIRONMENTS,
            "empty environment, marked by Mayfly",
            ALLOWED,
            REMAINS,
            "the anchor: the JVM must not lose its last environment"),
    JVMTI_PERMANENT(
            JVMTI_ENVIRONMENTS,
            "permanent: .*",
            ALLOWED,
            UNKNOWN,
            "the JVM does not undo it when JVMTI is no longer used"),
    HOST_ENVIRONMENT(
            JVMTI_ENVIRONMENTS,
            "environment that calls (.*, )?(memfd:" + HostName.MEMFD + "|\\" + HostName.FILE + ").*",
            LEFTOVER,
            MAYFLY,
            "the environment of Mayfly's host"),
    FLIGHT_RECORDER(
            JVMTI_ENVIRONMENTS,
            VmReader.FLIGHT_RECORDER + "|environment that calls libjvm\\.so",
            CHANGED,
            UNKNOWN,
            "the flight recorder's: the JVM keeps it"),
    DISPOSED_ENVIRONMENT(
            JVMTI_ENVIRONMENTS,
            "disposed environment",
            CHANGED,
            UNKNOWN,
            "the JVM frees it at its next garbage collection"),
    ENVIRONMENT(JVMTI_ENVIRONMENTS, ".*", LEFTOVER, Owner.AGENT, "the environment of an agent"),

    HOST_AGENT(AGENTS, Names.HOST_FILES, LEFTOVER, MAYFLY, "the library of Mayfly's host"),
    LAUNCH_LIBRARY(
            AGENTS,
            "/.*/libmayflylaunch\\.so: .*",
            ALLOWED,
            REMAINS,
            "the library by which Mayfly starts a JVM with a profiler: the JVM never unloads it"),
    UNREAD_LIBRARY(AGENTS, ".*: its symbols cannot be read: .*", CHANGED, UNKNOWN, "it may be the library of an agent"),
    AGENT(AGENTS, ".*", LEFTOVER, Owner.AGENT, "an agent's library"),

    FLIGHT_RECORDER_FLAG(
            FLAGS,
            "FlightRecorder \\(management\\) = true",
            CHANGED,
            UNKNOWN,
            "the JVM sets it when the flight recorder is first used"),
    FLAG_SET(
            FLAGS,
            "\\S+ \\((management|attach)\\) = .*",
            LEFTOVER,
            UNKNOWN,
            "it was set while the program ran, through the JVM's management or by an attach"),
    FLAG(FLAGS, ".*", CHANGED, UNKNOWN, "the JVM has set it by itself"),

    PROPERTY(
            SYSTEM_PROPERTIES,
            ".*",
            CHANGED,
            UNKNOWN,
            "cannot be distinguished from one that the program or the JDK set"),

    JDK_HOOK(
            SHUTDOWN_HOOKS,
            "\"[^\"]*\" \\(java\\.util\\.logging\\.LogManager\\$Cleaner\\)"
                    + "|\"[^\"]*\" .*jdk\\.jfr\\.internal\\.ShutdownHook\\)?",
            ALLOWED,
            UNKNOWN,
            "the JDK registers it when its logging or its flight recorder is first used"),
    HOOK(SHUTDOWN_HOOKS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a hook of the program"),
    HANDLER(EXCEPTION_HANDLERS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a handler of the program"),
    JDK_MBEAN(
            MBEANS,
            "java\\.lang:type=(ClassLoading|Compilation|Memory|OperatingSystem|Runtime|Threading)"
                    + "|java\\.lang:(?=.*\\bname=)(.*,)?type=(GarbageCollector|MemoryManager|MemoryPool)(,.*)?"
                    + "|java\\.nio:(?=.*\\bname=)(.*,)?type=BufferPool(,.*)?"
                    + "|java\\.util\\.logging:type=Logging"
                    + "|com\\.sun\\.management:type=(HotSpotDiagnostic|DiagnosticCommand)"
                    + "|jdk\\.management:type=VirtualThreadScheduler|jdk\\.management\\.jfr:type=FlightRecorder"
                    + "|JMImplementation:type=MBeanServerDelegate",
            ALLOWED,
            UNKNOWN,
            "the JDK registers it when its MBean server is first used"),
    MBEAN(MBEANS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from an MBean of the program"),
    RECORDING(
            FLIGHT_RECORDINGS,
            ".*",
            CHANGED,
            UNKNOWN,
            "the program, jcmd or a profiler has started the flight recorder"),
    LOG_OUTPUT(
            LOG_OUTPUTS,
            ".*",
            CHANGED,
            UNKNOWN,
            "the JVM's log was set while it ran, by jcmd, by JMX, or by a profiler"),
    ROOT_LOG_LEVEL(
            LOG_LEVELS,
            "\"\" = INFO(, of the JDK)?",
            ALLOWED,
            UNKNOWN,
            "the JDK's default, set when its logging is first used"),
    LOG_LEVEL(LOG_LEVELS, ".*", CHANGED, UNKNOWN, "cannot be distinguished from a level that the program has set"),
    CHILD(
            CHILD_PROCESSES,
            ".*",
            CHANGED,
            UNKNOWN,
            "cannot be distinguished from a process that the program has started"),

    /** The rules without a kind are never the first match: {@link KnownCauses} applies them, except {@link #WENT}. */
    BY_KNOWN_AGENT(null, ".*", CHANGED, UNKNOWN, "an agent that was there before, and still is, may have caused it"),
    BY_FLIGHT_RECORDER(null, ".*", CHANGED, UNKNOWN, "the flight recorder redefines classes"),
    FURTHER_BOOT_CLASS(
            null, ".*", CHANGED, UNKNOWN, "in the boot loader, which had classes from outside the JDK before"),
    /** For every item that was removed. */
    WENT(null, ".*", CHANGED, UNKNOWN, "it is not there any more");

    private final @Nullable AuditKind kind;
    private final Pattern pattern;
    private final Verdict verdict;
    private final Owner owner;
    private final String reason;

    Rule(@Nullable AuditKind kind, String pattern, Verdict verdict, Owner owner, String reason) {
        this.kind = kind;
        this.pattern = Pattern.compile(pattern, Pattern.DOTALL);
        this.verdict = verdict;
        this.owner = owner;
        this.reason = reason;
    }

    /** The prefix that identifies one of several JVMs. */
    private static final Pattern RUNTIME = Pattern.compile("r\\d+: ");

    /** Returns the first rule that matches a new item. */
    static Rule came(AuditKind kind, String item) {
        String bare = RUNTIME.matcher(item).lookingAt() ? item.substring(item.indexOf(' ') + 1) : item;
        for (Rule rule : values()) {
            if (rule.kind == kind && rule.pattern.matcher(bare).matches()) {
                return rule;
            }
        }
        throw new IllegalStateException("no rule for " + kind);
    }

    /** Returns true if a thread's name alone determines its owner. */
    static boolean isClaimed(String name) {
        return switch (came(THREADS, name)) {
            case HOST_THREAD, ATTACH_LISTENER, ASYNC_PROFILER_THREAD -> true;
            default -> false;
        };
    }

    /** Returns true if an item that matches this rule first is in both audits. */
    boolean isInBoth(Audit before, Audit after) {
        return kind != null
                && before.section(kind).items().keySet().stream()
                        .anyMatch(item -> came(kind, item) == this
                                && after.section(kind).items().containsKey(item));
    }

    Verdict verdict() {
        return verdict;
    }

    Owner owner() {
        return owner;
    }

    String reason() {
        return reason;
    }

    /** Patterns that several rules share. */
    private static final class Names {
        /** The memfds of a host, and its files in any directory. */
        static final String HOST_FILES = "(/memfd:" + HostName.MEMFD + "|/.*/\\" + HostName.FILE + ").*";

        private Names() {}
    }
}
