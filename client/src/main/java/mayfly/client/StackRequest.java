package mayfly.client;

/** A stack dump to be made. Options and their values are those of {@code mayfly stack}, see docs/cli.md. */
public final class StackRequest {
    private final Invocation invocation;

    StackRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    /**
     * Selects threads with a name, or else those whose name contains it, or the thread with a kernel id.
     *
     * @param nameOrId a name or a kernel id
     */
    public StackRequest thread(String nameOrId) {
        return new StackRequest(invocation.with("--thread", nameOrId));
    }

    /** Stops all threads for one consistent snapshot, instead of one after the other. */
    public StackRequest together() {
        return new StackRequest(invocation.with("--together"));
    }

    /** Replaces each run of native frames by one {@link Frame.Hole}. */
    public StackRequest holes() {
        return new StackRequest(invocation.with("--holes"));
    }

    /** Omits frames that the JVM hides from an exception's stack trace. */
    public StackRequest withoutHidden() {
        return new StackRequest(invocation.with("--no-hidden"));
    }

    /** @throws MayflyException if the stacks cannot be read */
    public ThreadDump run() throws MayflyException, InterruptedException {
        return invocation.object("mayfly-stack/1", StackResults.Dump::of);
    }
}
