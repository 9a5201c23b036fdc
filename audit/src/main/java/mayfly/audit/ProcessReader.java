package mayfly.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import mayfly.discovery.LibraryDirectory;
import mayfly.discovery.ProcessRuntimes;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.wire.AnchorPage;
import mayfly.wire.HostName;
import org.jspecify.annotations.Nullable;

/** Reads the items of a process that the kernel reports. */
final class ProcessReader {
    /** The content of the page with which a host marks the environment that it leaves in the JVM; see events.c. */
    private static final String ANCHOR = AnchorPage.MAGIC;

    private static final int ANCHOR_LENGTH = ANCHOR.length() + AnchorPage.VERSION.length();
    /** The offset of the function with the number 127 in jvmtiInterface_1_ of jvmti.h. The first has the number 1. */
    private static final int DISPOSE_ENVIRONMENT = 126 * Long.BYTES;
    /** Upper bound on the pages of read-only anonymous memory that are searched; the JVM has a few. */
    private static final int MAX_PAGES = 4096;
    /** The names of the mappings in which the kernel executes instructions that have a uprobe. */
    private static final String KERNELS_BREAKPOINTS = "[uprobes";
    /** Upper bound on the pages of code that are looked at: 8 GiB. */
    private static final long MAX_CODE_PAGES = 1 << 21;
    /** The functions of an agent's library that a JVM calls. */
    private static final List<String> AGENT_FUNCTIONS = List.of("Agent_OnLoad", "Agent_OnAttach");

    private static final int MAX_FILES = 1_000_000;
    /** The suffix for the name of a thread that the JVM or the JDK has started. */
    static final String OF_JVM = " of the JVM";

    static final String OF_JDK = " of the JDK";
    /** The suffix for a thread of the program that has the name, or the suffix, of another owner's thread. */
    private static final String OF_PROGRAM = " of the program";
    /** The number of bytes of a thread's stack that are searched, from its stack pointer while it waits. */
    private static final int STACK_BYTES = 4096;
    /** Upper bound on the attempts to observe a thread while it waits. */
    private static final int LOOKS = 50;

    private static final long LOOK_NANOS = 1_000_000;
    /** SIGRTMAX - 2, see NET_INTERRUPT in the JDK's linux_close.c and NativeThread.c. */
    private static final int NETWORK_SIGNAL = 62;

    private static final Pattern NETWORK_LIBRARIES = Pattern.compile(".*/lib(net|nio)\\.so");
    /** SIGPROF, with which the flight recorder samples CPU time. */
    private static final int SAMPLE_SIGNAL = 27;

    private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d{1,18})]");
    /** By number, see signal(7). */
    private static final String[] SIGNALS = {
        "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
        "WINCH", "IO", "PWR", "SYS"
    };

    private final AuditedProcess process;
    private Map<Long, HostRedefinitions> redefinitions = new HashMap<>();
    private final List<Mapping> mappings;
    private final NativeCode code;

    ProcessReader(AuditedProcess process, List<Mapping> mappings, NativeCode code) {
        this.process = process;
        this.mappings = mappings;
        this.code = code;
    }

    /** @param known the threads that a JVM lists, by their ids in the process */
    void threads(Items into, Map<Integer, KnownThread> known) throws IOException, NotSeen {
        boolean sameIds = process.innermostPid() == process.pid();
        for (TargetThread thread : process.threads()) {
            KnownThread java = known.get(sameIds ? thread.tid() : process.innermostTid(thread.tid()));
            if (java == null) {
                addNativeThread(thread.tid(), into);
                continue;
            }
            String name = java.name() == null ? thread.name() : "\"" + java.name() + "\"";
            into.add(name
                    + switch (java.owner()) {
                        case VM -> OF_JVM;
                        case JDK -> OF_JDK;
                        case PROGRAM -> Rule.isClaimed(name) ? OF_PROGRAM : "";
                        case OTHER -> "";
                    });
        }
    }

    /**
     * Adds a thread that no JVM lists. A thread that has just been started has its creator's name until it runs, so the
     * name is read after the thread was found waiting.
     */
    private void addNativeThread(int tid, Items into) throws IOException, NotSeen {
        String owner = nativeOwner(tid);
        TargetThread thread = process.thread(tid);
        if (thread != null) {
            into.add(named(thread.name(), owner));
        }
    }

    /** Returns the item of a native thread, whose name may end like the suffix of an owner. */
    static String named(String name, String owner) {
        boolean forged = owner.isEmpty() && (name.endsWith(OF_JVM) || name.endsWith(OF_JDK));
        return name + (forged ? OF_PROGRAM : owner);
    }

    /**
     * Returns the suffix for a thread that no JVM lists as a Java thread: it belongs to the JVM if code of the JVM
     * called the function in which it waits.
     */
    private String nativeOwner(int tid) {
        for (int i = 0; i < LOOKS; i++) {
            long sp = process.waitingAt(tid).orElse(0);
            if (sp != 0) {
                return isCalledByJvm(sp) ? OF_JVM : "";
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return ""; // it was running at each attempt
    }

    private boolean isCalledByJvm(long sp) {
        long words = STACK_BYTES / Long.BYTES;
        for (Mapping mapping : mappings) {
            words = mapping.contains(sp) ? Math.min(words, (mapping.end() - sp) / Long.BYTES) : words;
        }
        long[] stack = new long[(int) words];
        try {
            process.memory().readLongs(sp & -Long.BYTES, stack, stack.length);
        } catch (MemoryFault e) {
            return false;
        }
        return Arrays.stream(stack).anyMatch(word -> {
            NativeModule library = code.moduleAt(word);
            return library != null && ProcessRuntimes.isLibrary(library.name());
        });
    }

    /** Adds all descriptors except sockets, which another method adds. */
    void descriptors(Items into) throws IOException, NotSeen {
        for (String link : process.descriptors().values()) {
            if (!SOCKET.matcher(link).matches()) {
                into.add(link);
            }
        }
    }

    void sockets(Items into) throws IOException, NotSeen {
        Set<Long> inodes = new HashSet<>();
        for (String link : process.descriptors().values()) {
            var socket = SOCKET.matcher(link);
            if (socket.matches()) {
                inodes.add(Long.parseLong(socket.group(1)));
            }
        }
        Map<Long, String> known = inodes.isEmpty() ? new HashMap<>() : process.sockets(inodes);
        for (long inode : inodes) {
            into.add(known.getOrDefault(inode, "of another family"));
        }
    }

    void mappings(Items into) throws NotSeen {
        Map<String, String> originals = new TreeMap<>();
        for (Mapping mapping : mappings) {
            if (mapping.path().startsWith("/")) {
                originals.put(mapping.path(), mapping.originalPath());
            }
        }
        for (String path : originals.values()) {
            into.add(path);
        }
        redefinitions = new HashMap<>();
        int pages = 0;
        for (Mapping mapping : mappings) {
            // A page of a host stays writable if the kernel had no memory to end a change of it.
            boolean isFixed = !mapping.writable() || mapping.end() - mapping.start() == AnchorPage.SIZE;
            if (mapping.path().isEmpty() && mapping.readable() && isFixed && !mapping.executable()) {
                for (long page = mapping.start(); page < mapping.end() && pages < MAX_PAGES; page += Memory.MIN_PAGE) {
                    addAnchor(page, into);
                    pages++;
                }
            }
        }
    }

    /** Adds the pages of code that were written, and those that the kernel has mapped for breakpoints. */
    void codePages(Items into) throws IOException, NotSeen {
        long pages = 0;
        for (Mapping mapping : mappings) {
            if (mapping.path().startsWith(KERNELS_BREAKPOINTS)) {
                into.add("mapping " + mapping.path());
            }
            boolean isCode = mapping.executable() && !mapping.writable() && mapping.isFile();
            if (!isCode || code.moduleAt(mapping.start()) == null) {
                continue;
            }
            pages += (mapping.end() - mapping.start()) / Memory.MIN_PAGE;
            if (pages > MAX_CODE_PAGES) {
                throw new NotSeen("its libraries have more than " + MAX_CODE_PAGES + " pages of code");
            }
            process.forEachCopy(
                    mapping,
                    page -> into.add(mapping.originalPath() + " at 0x" + Long.toHexString(mapping.inFile(page))));
        }
    }

    private void addAnchor(long page, Items into) throws NotSeen {
        byte[] begin = new byte[ANCHOR_LENGTH];
        byte[] bytes = new byte[AnchorPage.SIZE];
        try {
            process.memory().read(page, begin, 0, begin.length);
            String text = new String(begin, StandardCharsets.ISO_8859_1);
            if (text.startsWith(ANCHOR)) {
                into.add("anonymous page " + text.strip());
                process.memory().read(page, bytes, 0, bytes.length);
                NativeModule library = libraryOf(bytes);
                if (library != null) {
                    redefinitions
                            .computeIfAbsent(library.start(), key -> new HostRedefinitions())
                            .add(bytes);
                }
            }
        } catch (MemoryFault e) {
            // Unmapped since, or a page of another kind.
        }
    }

    /**
     * Returns the library of the JVM whose environment a page marks, as anchor.c finds it: by a function of the
     * environment. Returns null if the function is in no library.
     *
     * @throws MemoryFault if the environment cannot be read
     */
    private @Nullable NativeModule libraryOf(byte[] page) throws MemoryFault {
        long environment = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getLong(AnchorPage.ENVIRONMENT);
        long functions = process.memory().readLong(environment);
        return code.moduleAt(process.memory().readLong(functions + DISPOSE_ENVIRONMENT));
    }

    /**
     * Returns the redefinitions by hosts for each JVM in which a host has left its page, by the address of the JVM's
     * library. Complete when {@link #mappings} has returned.
     */
    Map<Long, HostRedefinitions> redefinitions() {
        return redefinitions;
    }

    void files(Items into) throws IOException, NotSeen {
        String pid = Integer.toString(process.innermostPid());
        String ofLibrary = Pattern.quote(LibraryDirectory.prefix(process.innermostPid()));
        Pattern wanted = Pattern.compile("\\.java_pid" + pid + "(\\.tmp)?|\\.attach_pid" + pid + "|"
                + Pattern.quote(HostName.FILE) + pid + "-.*|" + ofLibrary + "[0-9a-f]{8}");
        try (HeldPath held = process.hold("/tmp")) {
            addFiles("/tmp", held, wanted, into);
        }
        String own = process.workingDirectory();
        if (!own.equals("/tmp") && !own.endsWith(" (deleted)")) {
            // The JVM first searches this directory for the marker file of an attach.
            try (HeldPath held = process.holdWorkingDirectory()) {
                addFiles(own, held, Pattern.compile("\\.attach_pid" + pid), into);
            }
        }
    }

    private static void addFiles(String directory, HeldPath held, Pattern wanted, Items into)
            throws IOException, NotSeen {
        int looked = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(held.path())) {
            for (Path file : all) {
                String name = String.valueOf(file.getFileName());
                if (wanted.matcher(name).matches()) {
                    into.add(directory + "/" + name);
                }
                if (++looked == MAX_FILES) {
                    throw new NotSeen(directory + " has more than " + MAX_FILES + " files");
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /**
     * Adds the dispositions of signals.
     *
     * @param ofJava the numbers of the signals that Java code handles
     * @param sampled true if the flight recorder samples by CPU time
     */
    void signals(Items into, Set<String> ofJava, boolean sampled) throws IOException, NotSeen {
        ProcStatus status = process.status();
        for (int signal = 1; signal <= Long.SIZE; signal++) {
            long bit = 1L << signal - 1;
            boolean java = ofJava.contains(Integer.toString(signal));
            String name = signal < SIGNALS.length ? "SIG" + SIGNALS[signal] : "signal " + signal;
            if ((status.caughtSignals() & bit) != 0) {
                boolean network = signal == NETWORK_SIGNAL
                        && mappings.stream()
                                .map(Mapping::originalPath)
                                .anyMatch(
                                        path -> NETWORK_LIBRARIES.matcher(path).matches());
                if (network) {
                    into.add(name + " has a handler, and libnet or libnio is loaded");
                } else if (signal == SAMPLE_SIGNAL && sampled) {
                    into.add(name + " has a handler, and the flight recorder samples CPU time");
                } else {
                    into.add(name + " has a handler" + setIn(java));
                }
            }
            if ((status.ignoredSignals() & bit) != 0) {
                into.add(name + " is ignored" + setIn(java));
            }
            if ((status.blockedSignals() & bit) != 0) {
                into.add(name + " is blocked in the main thread");
            }
        }
    }

    private static String setIn(boolean java) {
        return java ? ", set in Java" : "";
    }

    void children(Items into) throws IOException, NotSeen {
        for (String child : process.children()) {
            into.add(child);
        }
    }

    void agents(Items into) throws NotSeen {
        Set<String> looked = new HashSet<>();
        for (NativeModule library : code.modules()) {
            if (!library.isFile() || !looked.add(library.path()) || ProcessRuntimes.isLibrary(library.name())) {
                continue;
            }
            List<String> functions = library.functionsOf(AGENT_FUNCTIONS);
            if (functions == null) {
                into.add(library.originalPath() + ": its symbols cannot be read: " + library.problem());
            } else if (!functions.isEmpty()) {
                into.add(library.originalPath() + ": " + String.join(", ", functions));
            }
        }
    }
}
