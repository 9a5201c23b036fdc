package mayfly.audit;

/** The kinds of items that a profiler could leave in a process, in the order of the report. */
public enum AuditKind {
    THREADS(
            "threads",
            "/proc/PID/task; the names of Java threads from their objects in the JVM's memory",
            "the purpose of a thread; virtual threads; a Thread object without a thread"),
    DESCRIPTORS(
            "descriptors",
            "the target of each link in /proc/PID/fd",
            "the code that opened a descriptor, and its purpose"),
    MAPPINGS(
            "mapped files",
            "/proc/PID/maps: each file once, and the anonymous page by which Mayfly's host marks its JVMTI environment",
            "the owner of other anonymous memory: it is recorded nowhere"),
    CODE_PAGES(
            "code pages",
            "/proc/PID/pagemap: pages of libraries' code of which the process has a copy of its own, as after a"
                    + " breakpoint; the pages that the kernel maps for breakpoints",
            "code that the JVM has generated"),
    SOCKETS(
            "sockets",
            "those of /proc/PID/net/unix, tcp, tcp6, udp and udp6 that a descriptor of the process refers to",
            "sockets of other families, such as netlink, except for their descriptors"),
    FILES(
            "files",
            "in the process's own /tmp: the names that the JVM's attach mechanism and Mayfly use",
            "any other file: its writer is recorded nowhere. An open file is among the descriptors"),
    CLASS_LOADERS(
            "class loaders",
            "the JVM's graph of class loader data, with the class of each loader",
            "a loader that has defined no class and is in no JVM structure: it is an ordinary object"),
    CLASSES(
            "classes",
            "the same graph: each class with the class of its loader; the address in a hidden class's name is left out",
            "generated code that is not a class, and the references of a class"),
    TRANSFORMED_CLASSES(
            "transformed classes",
            "the JVM's count of redefinitions, and the classes that were redefined since they were loaded",
            "a class that an agent changed while it was being loaded; since JDK 21, also the class that was redefined:"
                    + " neither can be determined from outside"),
    SIGNAL_HANDLERS(
            "signal handlers",
            "the masks SigCgt, SigIgn and SigBlk in /proc/PID/status; the handlers that Java code"
                    + " has set, from jdk.internal.misc.Signal in the JVM's heap",
            "the function that handles a signal: it is recorded only in the kernel and the process"),
    JVMTI_ENVIRONMENTS(
            "JVMTI environments",
            "the JVM's own list, found by a symbol of libjvm.so: the libraries that each calls back, and the"
                    + " capabilities that the JVM has enabled permanently",
            "events and capabilities of a single environment: their location is described nowhere"),
    AGENTS(
            "agents",
            "mapped libraries that export Agent_OnLoad or Agent_OnAttach; java.lang.instrument is one",
            "the name of a Java agent, and an agent whose library was linked into the program"),
    FLAGS(
            "flags",
            "the JVM's table of flags: those whose value has an origin other than the default, with the origin",
            "a flag that was set to another value and back"),
    SYSTEM_PROPERTIES(
            "system properties",
            "the map behind System.getProperties, in the JVM's heap",
            "keys and values that are not strings, and the defaults in another map"),
    SHUTDOWN_HOOKS(
            "shutdown hooks",
            "the map in java.lang.ApplicationShutdownHooks, in the JVM's heap",
            "the code that a hook runs; the JDK's own hooks, such as the one that deletes files"),
    EXCEPTION_HANDLERS(
            "uncaught-exception handlers",
            "the default one in java.lang.Thread, and those of Java threads that run",
            "those of thread groups and of virtual threads"),
    MBEANS(
            "MBeans",
            "the repository of the platform MBean server, in the JVM's heap",
            "other MBean servers, and listeners of notifications"),
    FLIGHT_RECORDINGS(
            "flight recordings",
            "the list in jdk.jfr.internal.PlatformRecorder, in the JVM's heap",
            "recordings that were closed, and event streams' settings"),
    LOG_OUTPUTS(
            "log outputs",
            "the JVM's own list (-Xlog, VM.log), found by a symbol of libjvm.so",
            "decorations, and rotation of files"),
    LOG_LEVELS(
            "log levels",
            "the loggers of java.util.logging that have a level of their own, in the JVM's heap",
            "handlers and filters; loggers of other libraries, and of contexts of application servers"),
    CHILD_PROCESSES(
            "child processes",
            "the processes whose parent in /proc/PID/stat is this process",
            "processes that this process started and that now have another parent (daemon(3))");

    /** The parts of a process that no kind covers. */
    public static final String NOT_SEEN =
            "objects and allocated memory, thread locals, context class loaders, security providers, the default"
                + " locale and time zone, System.in, out and err, other MBean servers, handlers of loggers, the code"
                + " that a signal handler runs, switches of platform MXBeans, files that are closed, data that was"
                + " sent or written";

    private final String title;
    private final String seen;
    private final String unseen;

    AuditKind(String title, String seen, String unseen) {
        this.title = title;
        this.seen = seen;
        this.unseen = unseen;
    }

    /** Returns the kind in a few words, for a human reader. {@link #id} is the form in files. */
    public String title() {
        return title;
    }

    /** Returns the kind's word in files. It never changes. */
    public String id() {
        return title.replace(' ', '-');
    }

    /** Returns the way in which the kind is read from outside. */
    public String seen() {
        return seen;
    }

    /** Returns the part of the kind that is not visible from outside. */
    public String unseen() {
        return unseen;
    }
}
