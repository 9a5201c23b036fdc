package mayfly.client;

/** A stack dump to be made. Options and their values are those of {@code mayfly stack}, see docs/cli.md. */
public final class StackRequest {
    private final Invocation invocation;

    StackRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    /**
     * Selects the thread with this kernel id; if there is none, the threads with this name; if there is none, the
     * threads whose names contain it.
     *
     * @param nameOrId a kernel id, a name, or a part of a name
     */
    public StackRequest thread(String nameOrId) {
        return new StackRequest(invocation.with("--thread", nameOrId));
    }

    /** Stops all threads for one consistent snapshot, instead of one after the other. */
    public StackRequest together() {
        return new StackRequest(invocation.with("--together"));
    }

    /**
     * Includes virtual threads that are not mounted ({@link ThreadDump#virtual()}). All threads are stopped together.
     */
    public StackRequest virtual() {
        return new StackRequest(invocation.with("--virtual"));
    }

    /** Replaces each run of native frames by one {@link Frame.Hole}. */
    public StackRequest holes() {
        return new StackRequest(invocation.with("--holes"));
    }

    /** Omits frames that the JVM hides from an exception's stack trace. */
    public StackRequest withoutHidden() {
        return new StackRequest(invocation.with("--no-hidden"));
    }

    /**
     * Dumps the stacks.
     *
     * @throws MayflyException if the stacks cannot be read, or no thread is selected
     * @throws InterruptedException if this thread is interrupted; the command is ended then
     * @throws IllegalArgumentException if a text cannot be passed on a command line: it contains a NUL, or a character
     *         that the encoding of this JVM lacks
     */
    public ThreadDump run() throws MayflyException, InterruptedException {
        return invocation.object("mayfly-stack/1", StackResults.Dump::of);
    }
}
