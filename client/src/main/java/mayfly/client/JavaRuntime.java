package mayfly.client;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** A Java runtime on this machine. Names are untrusted text. */
public sealed interface JavaRuntime permits Results.Runtime {
    long pid();

    /** Returns its id within its process: r1, r2, ... in the order of start; empty if it could not be read. */
    String id();

    /** Returns its version; empty if it could not be read. */
    String version();

    /** Returns the address at which its libjvm.so is mapped, in hexadecimal with 0x; empty if it could not be read. */
    String address();

    /** Returns the main class or jar of the process, or its program; empty if not known. */
    String mainClass();

    /** Returns the user of the process. */
    String user();

    /** Returns the CPU time of the process since its start. */
    Duration cpu();

    /** Returns the time since the start of the process. */
    Duration uptime();

    /** Returns the recent CPU usage of the process in percent of one CPU, if it could be measured. */
    OptionalLong cpuPercent();

    /** Returns the agents that are loaded into it; {@code mayfly} for a profiler that Mayfly hosts. */
    List<String> attached();
}
